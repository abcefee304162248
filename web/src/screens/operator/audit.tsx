import { AuditList } from '../../features/audit/audit-list.tsx';
import { operatorStrings } from '../../strings/operator.ts';
import { Page } from '../../ui/page.tsx';

export const Screen = () => (
  <Page title={operatorStrings.audit.title} lead={operatorStrings.audit.lead}>
    <AuditList />
  </Page>
);
