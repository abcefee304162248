import { withTimes } from '../../lib/format.ts';
import { type Check, useStatus } from '../../resources/operator.ts';
import { operatorStrings } from '../../strings/operator.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Badge, List, Page, Row } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import styles from './operator.module.css';

const texts = operatorStrings.status;
const tones = { ok: 'plain', warning: 'accent', broken: 'warning' } as const;
const order = { broken: 0, warning: 1, ok: 2 } as const;

export function Screen() {
  const status = useStatus();
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        <Button busy={status.isFetching} onClick={() => status.refetch()}>
          {texts.again}
        </Button>
      }
    >
      <Loaded from={status} lines={10}>
        {(checks) => <Checks checks={checks} />}
      </Loaded>
    </Page>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What needs attention comes first. */
function Checks({ checks }: { checks: Check[] }) {
  const sorted = checks.toSorted((one, other) => order[one.state] - order[other.state]);
  const toDo = checks.filter(({ state }) => state !== 'ok').length;
  return (
    <div className={styles.part}>
      {toDo === 0 ? (
        <Notice tone="success">{texts.allWell}</Notice>
      ) : (
        <Notice tone="warning">{texts.toDo(toDo)}</Notice>
      )}
      <List label={texts.list}>
        {sorted.map(({ check, state, found, fix }) => (
          <Row
            key={check}
            detail={
              <>
                {withTimes(found)}
                {fix !== null && <p>{texts.whatToDo(withTimes(fix))}</p>}
              </>
            }
            actions={<Badge tone={tones[state]}>{texts.states[state]}</Badge>}
          >
            {capital(check)}
          </Row>
        ))}
      </List>
    </div>
  );
}
