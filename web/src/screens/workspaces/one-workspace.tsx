import { AuditList } from '../../features/audit/audit-list.tsx';
import { useCommands } from '../../lib/commands.ts';
import { navigate, useSearchParams } from '../../lib/router.tsx';
import { useWorkspaces, type Workspace } from '../../resources/workspaces.ts';
import { workspaceStrings as texts } from '../../strings/workspaces.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Badge, Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Members } from './members.tsx';
import { Policy } from './policy.tsx';
import { Spaces } from './spaces.tsx';
import { WorkspaceKeys } from './workspace-keys.tsx';

export function OneWorkspace({ id }: { id: string }) {
  const list = useWorkspaces();
  const workspace = list.data?.find((one) => one.id === id);
  useCommands([{ id: 'leave', run: () => navigate('/workspaces') }]);
  return (
    <Page
      title={workspace?.name ?? texts.title}
      back={{ to: '/workspaces', label: texts.back }}
      actions={workspace && <Badge tone="accent">{texts.roles[workspace.role]}</Badge>}
    >
      <Loaded from={list} lines={6}>
        {() => (workspace ? <Parts workspace={workspace} /> : <EmptyState icon="team" {...texts.gone} />)}
      </Loaded>
    </Page>
  );
}

/** The open tab is in the URL, so that people can link to it. */
function Parts({ workspace }: { workspace: Workspace }) {
  const [params, setParams] = useSearchParams();
  const { id, role } = workspace;
  const isAdmin = role === 'admin';
  return (
    <Tabs
      label={texts.tabs.label}
      value={params.get('tab') ?? 'members'}
      onChange={(tab) => setParams({ tab }, { replace: true })}
      tabs={[
        { value: 'members', label: texts.tabs.members, content: <Members id={id} isAdmin={isAdmin} /> },
        { value: 'spaces', label: texts.tabs.spaces, content: <Spaces id={id} isAdmin={isAdmin} /> },
        { value: 'keys', label: texts.tabs.keys, content: <WorkspaceKeys id={id} isAdmin={isAdmin} /> },
        { value: 'policy', label: texts.tabs.policy, content: <Policy id={id} isAdmin={isAdmin} /> },
        ...(isAdmin
          ? [{ value: 'audit', label: texts.tabs.audit, content: <AuditList workspaceId={id} /> }]
          : []),
      ]}
    />
  );
}
