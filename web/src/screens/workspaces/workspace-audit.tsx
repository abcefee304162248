import { useState } from 'react';
import { AuditList } from '../../features/audit/audit-list.tsx';
import { Webhooks } from '../../features/webhooks/webhooks.tsx';
import { type AuditEvent, auditCsv, useAudit } from '../../resources/operator.ts';

/** For admins. */
export function WorkspaceAudit({ id }: { id: string }) {
  const [act, setAct] = useState('');
  // The list offers no others.
  const source = useAudit(id, act as AuditEvent['act'] | '');
  return (
    <>
      <AuditList source={source} act={act} onAct={setAct} csv={auditCsv(id, act)} />
      <Webhooks of={{ workspace_id: id }} />
    </>
  );
}
