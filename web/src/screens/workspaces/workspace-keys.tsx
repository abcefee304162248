import { workspaceScopes } from '../../api/limits.ts';
import { useKeyPart } from '../../features/keys/use-key-part.tsx';
import {
  createWorkspaceKey,
  refreshWorkspaceKeys,
  revokeWorkspaceKey,
  rotateWorkspaceKey,
  useWorkspaceKeys,
} from '../../resources/workspace-keys.ts';
import { workspaceStrings as texts } from '../../strings/workspaces.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/states.tsx';
import styles from './workspaces.module.css';

const reading = ['workspace:notes:read', 'workspace:folders:read', 'workspace:transcriptions:read'] as const;
const presets = {
  readOnly: reading,
  assistant: [...reading, 'workspace:notes:write'],
  everything: ['workspace:*'],
} satisfies Record<string, readonly (typeof workspaceScopes)[number][]>;

export function WorkspaceKeys({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const [part, open] = useKeyPart({
    place: `key ${id}`,
    title: texts.keys.create,
    keys: useWorkspaceKeys(id, isAdmin),
    empty: texts.keys.empty,
    scopes: workspaceScopes,
    presets,
    create: (draft) => createWorkspaceKey(id, draft),
    revoke: (keyId) => revokeWorkspaceKey(id, keyId),
    rotate: (keyId, graceHours) => rotateWorkspaceKey(id, keyId, graceHours),
    refresh: () => refreshWorkspaceKeys(id),
  });
  if (!isAdmin) return <Notice>{texts.onlyAdmins}</Notice>;
  return (
    <div className={styles.part}>
      <div className={styles.partActions}>
        <Button look="primary" icon="plus" onClick={open}>
          {texts.keys.create}
        </Button>
      </div>
      {part}
    </div>
  );
}
