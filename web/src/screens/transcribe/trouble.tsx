import type { ReactNode } from 'react';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/states.tsx';
import { explainProblem, mayTryAgain } from './problems.ts';
import styles from './transcribe.module.css';

interface Props {
  error: unknown;
  onAgain?: () => void;
  children?: ReactNode;
}

/** Why there is no transcript, and what to do next. */
export function Trouble({ error, onAgain, children }: Props) {
  const { title, detail } = explainProblem(error);
  const again = onAgain && mayTryAgain(error);
  return (
    <Notice tone="danger" title={title}>
      <p>{detail}</p>
      {(again || children) && (
        <div className={styles.troubleActions}>
          {again && <Button onClick={onAgain}>{strings.transcribe.again}</Button>}
          {children}
        </div>
      )}
    </Notice>
  );
}
