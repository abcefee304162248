import { Fragment } from 'react';
import { commands, shownKeys } from '../lib/command-table.ts';
import { commandStrings as texts } from '../strings/commands.ts';
import { Dialog } from '../ui/dialog.tsx';
import styles from './palette.module.css';

/** One line for each label: two keys move through a list. */
const keysIn = (scope: string) =>
  new Map(
    Object.values(commands).flatMap((command) =>
      command.scope === scope ? [[command.label, shownKeys(command)] as const] : [],
    ),
  );

/** Which keys do what, and where. */
export const KeysHelp = ({ onClose }: { onClose(): void }) => (
  <Dialog open onClose={onClose} title={texts.help}>
    {Object.entries(texts.scopes).map(([scope, where]) => (
      <section key={scope} aria-label={where}>
        <h3>{where}</h3>
        <dl className={styles.keys}>
          {[...keysIn(scope)].map(([label, keys]) => (
            <Fragment key={label}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{label}</dd>
            </Fragment>
          ))}
        </dl>
      </section>
    ))}
  </Dialog>
);
