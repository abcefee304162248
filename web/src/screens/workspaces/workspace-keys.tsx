import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { workspaceScopes } from '../../api/limits.ts';
import { type KeyDraft, KeyForm } from '../../features/keys/key-form.tsx';
import { KeyList } from '../../features/keys/key-list.tsx';
import { type IssuedKey, NewKey } from '../../features/keys/new-key.tsx';
import { useShownOnce } from '../../lib/shown-once.ts';
import {
  createWorkspaceKey,
  refreshWorkspaceKeys,
  revokeWorkspaceKey,
  rotateWorkspaceKey,
  useWorkspaceKeys,
} from '../../resources/workspace-keys.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { EmptyState, Notice } from '../../ui/states.tsx';
import styles from './workspaces.module.css';

type WorkspaceScope = (typeof workspaceScopes)[number];

const texts = workspaceStrings;
const reading = ['workspace:notes:read', 'workspace:folders:read', 'workspace:transcriptions:read'] as const;
const presets = {
  readOnly: reading,
  assistant: [...reading, 'workspace:notes:write'],
  everything: ['workspace:*'],
} satisfies Record<string, readonly WorkspaceScope[]>;

export function WorkspaceKeys({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const client = useQueryClient();
  const [creating, setCreating] = useState(false);
  const issued = useShownOnce<IssuedKey>(`key ${id}`);
  const keys = useWorkspaceKeys(id, isAdmin);
  const refresh = () => refreshWorkspaceKeys(client, id);
  function made(key: IssuedKey) {
    issued.show(key);
    return refresh();
  }

  if (!isAdmin) return <Notice>{texts.onlyAdmins}</Notice>;
  return (
    <div className={styles.part}>
      <div className={styles.partActions}>
        <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
          {texts.keys.create}
        </Button>
      </div>
      {issued.values.map((one) => (
        <NewKey key={one.key} issued={one} onDone={() => issued.dismiss(one)} />
      ))}
      <Loaded from={keys} lines={4}>
        {(known) =>
          known.length === 0 ? (
            <EmptyState icon="key" {...texts.keys.empty} />
          ) : (
            <KeyList
              keys={known}
              revoke={(keyId) => revokeWorkspaceKey(id, keyId).then(refresh)}
              rotate={(keyId, graceHours) => rotateWorkspaceKey(id, keyId, graceHours)}
              onRotated={(key, old) => {
                // What was just made and is replaced already is not worth keeping.
                for (const one of issued.values) if (one.key.startsWith(old.key_prefix)) issued.dismiss(one);
                return made(key);
              }}
            />
          )
        }
      </Loaded>
      {creating && (
        <KeyForm
          title={texts.keys.create}
          scopes={workspaceScopes}
          presets={presets}
          create={(draft: KeyDraft<WorkspaceScope>) => createWorkspaceKey(id, draft)}
          onCreated={made}
          onClose={() => setCreating(false)}
        />
      )}
    </div>
  );
}
