import { useState } from 'react';
import { type AuditEvent, auditCsv, useAudit } from '../../resources/operator.ts';
import { operatorStrings } from '../../strings/operator.ts';
import { AuditList } from '../../ui/audit-list.tsx';
import { Page } from '../../ui/page.tsx';
import { Webhooks } from '../../webhooks/webhooks.tsx';

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
