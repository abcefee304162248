import { useParams } from '../../lib/router.tsx';
import { OneWorkspace } from './one-workspace.tsx';
import { WorkspaceList } from './workspace-list.tsx';

export function Screen() {
  const { id } = useParams();
  return id === undefined ? <WorkspaceList /> : <OneWorkspace id={id} />;
}
