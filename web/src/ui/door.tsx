import type { FormEvent, ReactNode } from 'react';
import { commonStrings } from '../strings/common.ts';
import styles from './door.module.css';

/** The page for people who are not signed in. */
export const Door = ({ children, foot }: { children: ReactNode; foot?: string }) => (
  <main className={styles.door}>
    <div className={styles.card}>
      <p className={styles.brand}>
        <img src="/icon.svg" width={36} height={36} alt="" />
        {commonStrings.product}
      </p>
      {children}
    </div>
    {foot && <p className={styles.foot}>{foot}</p>}
  </main>
);

interface StepProps {
  title: string;
  lead: string;
  onSubmit(): void;
  children: ReactNode;
}

/** One question at the door. */
export const Step = ({ title, lead, onSubmit, children }: StepProps) => (
  <Question onSubmit={onSubmit}>
    <div>
      <h1>{title}</h1>
      <p className={styles.lead}>{lead}</p>
    </div>
    {children}
  </Question>
);

interface QuestionProps extends Pick<StepProps, 'onSubmit' | 'children'> {
  /** Stands above it, if something else comes first. */
  label?: string | undefined;
}

export function Question({ label, onSubmit, children }: QuestionProps) {
  function submit(event: FormEvent) {
    event.preventDefault();
    onSubmit();
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      {label && <p className={styles.or}>{label}</p>}
      {children}
    </form>
  );
}
