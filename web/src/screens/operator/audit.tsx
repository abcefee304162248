import { useState } from 'react';
import { AuditList } from '../../features/audit/audit-list.tsx';
import { Webhooks } from '../../features/webhooks/webhooks.tsx';
import { type AuditEvent, auditCsv, useAudit } from '../../resources/operator.ts';
import { operatorStrings } from '../../strings/operator.ts';
import { Page } from '../../ui/page.tsx';

export function Screen() {
  const [act, setAct] = useState('');
  // The list offers no others.
  const source = useAudit(undefined, act as AuditEvent['act'] | '');
  return (
    <Page title={operatorStrings.audit.title} lead={operatorStrings.audit.lead}>
      <AuditList source={source} act={act} onAct={setAct} csv={auditCsv(undefined, act)} />
      <Webhooks of={{ server: true }} />
    </Page>
  );
}
