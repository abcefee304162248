import { changePolicy, type PolicyRule, refreshPolicy, usePolicy } from '../../resources/policy.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Badge, List, Row } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { SwitchRow } from '../../ui/switch-row.tsx';
import styles from './workspaces.module.css';

const texts = workspaceStrings.policy;
const rules: readonly PolicyRule[] = [
  'block_cloud_transcription',
  'block_cloud_backup',
  'block_language_models',
];

export function Policy({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const policy = usePolicy(id);
  return (
    <div className={styles.part}>
      <p className="muted">{texts.detail}</p>
      {!isAdmin && <Notice>{workspaceStrings.onlyAdmins}</Notice>}
      <Loaded from={policy} lines={4}>
        {(known) => (
          <List label={texts.label}>
            {rules.map((rule) =>
              isAdmin ? (
                <SwitchRow
                  key={rule}
                  on={known[rule]}
                  detail={texts.rules[rule].detail}
                  change={(on) => changePolicy(id, { [rule]: on }).then(() => refreshPolicy(id))}
                >
                  {texts.rules[rule].name}
                </SwitchRow>
              ) : (
                <RuleState key={rule} rule={rule} on={known[rule]} />
              ),
            )}
          </List>
        )}
      </Loaded>
    </div>
  );
}

const RuleState = ({ rule, on }: { rule: PolicyRule; on: boolean }) => (
  <Row
    detail={texts.rules[rule].detail}
    actions={<Badge tone={on ? 'warning' : 'plain'}>{on ? texts.on : texts.off}</Badge>}
  >
    {texts.rules[rule].name}
  </Row>
);
