import { useState } from 'react';
import { formatDateTime, withTimes } from '../../lib/format.ts';
import { type AuditEvent, auditCsv, useAudit } from '../../resources/operator.ts';
import { operatorStrings } from '../../strings/operator.ts';
import { SelectField } from '../../ui/field.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Row } from '../../ui/page.tsx';
import { Webhooks } from '../webhooks/webhooks.tsx';
import styles from './audit-list.module.css';

const texts = operatorStrings.audit;

/** Who did what, on the server or in a workspace, and the webhooks that are told of it. */
export function AuditList({ workspaceId }: { workspaceId?: string }) {
  const [act, setAct] = useState('');
  // The list offers no others.
  const source = useAudit(workspaceId, act as AuditEvent['act'] | '');
  return (
    <>
      <div className={styles.part}>
        <div className={styles.bar}>
          <SelectField
            label={texts.kind}
            value={act}
            options={{ '': texts.every, ...texts.acts }}
            onChoose={setAct}
          />
          <a className="button button-plain" href={auditCsv(workspaceId, act)} download>
            {texts.download}
          </a>
        </div>
        <LoadedList from={source} lines={8} label={texts.list} empty={{ icon: 'history', ...texts.none }}>
          {(event) => (
            <Row key={event.id} detail={whereAndWhen(event)}>
              {texts.acts[event.act] ?? event.act}
              {whatOf(event)}
            </Row>
          )}
        </LoadedList>
      </div>
      <Webhooks of={workspaceId === undefined ? { server: true } : { workspace_id: workspaceId }} />
    </>
  );
}

const isRefused = ({ act }: AuditEvent) => act.endsWith('.refused');

function whatOf({ subject_name, detail }: AuditEvent): string {
  const what = [subject_name, detail].filter(Boolean).join(', ');
  return what === '' ? '' : `: ${withTimes(what)}`;
}

function whereAndWhen(event: AuditEvent): string {
  const { actor_name, actor_id, via, address, times, created_at } = event;
  const unnamed = via === 'command line' ? texts.commandLine : texts.somebody;
  return [
    formatDateTime(created_at),
    isRefused(event) ? texts.times(times) : (actor_name ?? actor_id ?? unnamed),
    via !== null && via !== 'session' && via !== 'command line' ? via : null,
    address ?? (isRefused(event) ? texts.otherAddresses : null),
  ]
    .filter(Boolean)
    .join(' · ');
}
