import { Fragment } from 'react';
import { keysHelpStrings } from '../strings/frame.ts';
import { Dialog } from '../ui/dialog.tsx';
import styles from './palette.module.css';

const texts = keysHelpStrings;

/** Which keys do what. */
export const KeysHelp = ({ onClose }: { onClose(): void }) => (
  <Dialog open onClose={onClose} title={texts.title}>
    <dl className={styles.keys}>
      {texts.keys.map(([keys, does]) => (
        <Fragment key={does}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{does}</dd>
        </Fragment>
      ))}
    </dl>
  </Dialog>
);
