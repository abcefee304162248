import { strings } from '../../strings.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { List, Row, Section } from '../../ui/page.tsx';
import styles from './workspaces.module.css';

const words = strings.workspaces.policy;

/** No route changes the policy: it is the operator's, set on the server, so here are the commands to do it. */
export function Policy({ id }: { id: string }) {
  const policy = `npx steno workspaces policy ${id}`;
  return (
    <div className={styles.part}>
      <p className="muted">{words.detail}</p>
      <Section title={words.title}>
        <List label={words.title}>
          <Rule
            name={words.transcription}
            detail={words.transcriptionDetail}
            command={`${policy} --block-transcription on`}
          />
          <Rule name={words.backup} detail={words.backupDetail} command={`${policy} --block-backup on`} />
        </List>
      </Section>
      <Command title={words.manage} command={`npx steno workspaces manage ${id} ada@example.org on`} />
      <Command title={words.show} command={policy} />
    </div>
  );
}

const Rule = ({ name, detail, command }: { name: string; detail: string; command: string }) => (
  <Row detail={detail} actions={<CopyButton text={command} label={words.copyTurnOff} />}>
    {name}
  </Row>
);

const Command = ({ title, command }: { title: string; command: string }) => (
  <div>
    <h3>{title}</h3>
    <div className={styles.command}>
      <code>{command}</code>
      <CopyButton text={command} label={words.copy} />
    </div>
  </div>
);
