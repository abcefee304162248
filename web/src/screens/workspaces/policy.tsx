import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { changePolicy, type PolicyRule, refreshPolicy, usePolicy } from '../../resources/policy.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Badge, List, Row } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { Switch } from '../../ui/switch.tsx';
import { toastError } from '../../ui/toast.tsx';
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
                <RuleSwitch key={rule} id={id} rule={rule} on={known[rule]} />
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

function RuleSwitch({ id, rule, on }: { id: string; rule: PolicyRule; on: boolean }) {
  const client = useQueryClient();
  const input = useId();
  const about = `${input}-about`;
  const save = useMutation({
    mutationFn: (next: boolean) => changePolicy(id, { [rule]: next }),
    onSuccess: () => refreshPolicy(client, id),
    onError: toastError,
  });
  return (
    <Row
      detail={<span id={about}>{texts.rules[rule].detail}</span>}
      actions={
        <Switch
          id={input}
          aria-describedby={about}
          checked={save.isPending ? save.variables : on}
          busy={save.isPending}
          onChange={(next) => save.mutate(next)}
        />
      }
    >
      <label htmlFor={input}>{texts.rules[rule].name}</label>
    </Row>
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
