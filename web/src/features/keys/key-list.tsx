import type { components } from '@steno/sdk';
import { useState } from 'react';
import { formatDay, formatRelative } from '../../lib/format.ts';
import { keyStrings } from '../../strings/keys.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Badge, List, Row } from '../../ui/page.tsx';
import styles from './keys.module.css';
import { RotateDialog } from './rotate-dialog.tsx';

type ApiKey = components['schemas']['ApiKey'];

const texts = keyStrings;
const soonMs = 7 * 24 * 60 * 60_000;

interface Props {
  keys: readonly ApiKey[];
  busy: boolean;
  onRevoke(id: string): Promise<unknown>;
  onRotate(change: { id: string; graceHours: number }): Promise<unknown>;
}

export function KeyList({ keys, busy, onRevoke, onRotate }: Props) {
  const [rotated, setRotated] = useState<ApiKey>();
  const [asked, setAsked] = useState<ApiKey>();
  async function revoke() {
    if (!asked) return;
    await onRevoke(asked.id);
    setAsked(undefined);
  }
  async function rotate(id: string, graceHours: number) {
    await onRotate({ id, graceHours });
    setRotated(undefined);
  }
  return (
    <>
      <List label={texts.list}>
        {keys.map((key) => (
          <Row
            key={key.id}
            detail={<KeyDetail apiKey={key} />}
            actions={
              <>
                <Button aria-label={texts.rotateKey(key.name)} onClick={() => setRotated(key)}>
                  {texts.rotate}
                </Button>
                <Button look="danger" aria-label={texts.revokeKey(key.name)} onClick={() => setAsked(key)}>
                  {texts.revoke}
                </Button>
              </>
            }
          >
            {key.name} <code className={styles.prefix}>{key.key_prefix}…</code>
          </Row>
        ))}
      </List>
      {rotated && (
        <RotateDialog
          name={rotated.name}
          busy={busy}
          onClose={() => setRotated(undefined)}
          onRotate={(graceHours) => rotate(rotated.id, graceHours)}
        />
      )}
      <ConfirmDialog
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={texts.revokeTitle(asked?.name ?? '')}
        description={texts.revokeDetail}
        action={texts.revoke}
        busy={busy}
        onConfirm={revoke}
      />
    </>
  );
}

function KeyDetail({ apiKey }: { apiKey: ApiKey }) {
  const { last_used_at, last_used_route, created_at, expires_at, allowed_addresses, scopes } = apiKey;
  const endsSoon = expires_at !== null && new Date(expires_at).getTime() - Date.now() < soonMs;
  return (
    <>
      <p>
        {[
          last_used_at === null
            ? texts.neverUsed
            : texts.lastUsed(formatRelative(last_used_at), last_used_route),
          texts.createdAt(formatDay(created_at)),
          expires_at !== null && !endsSoon && texts.expires(formatDay(expires_at)),
          allowed_addresses !== null && texts.onlyFrom(allowed_addresses),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <p className={styles.badges}>
        {endsSoon && <Badge tone="warning">{texts.expires(formatRelative(expires_at))}</Badge>}
        {[...byResource(scopes)].map(([resource, rights]) => (
          <Badge key={resource}>
            {resource} <span className={styles.rights}>{rights.join(', ')}</span>
          </Badge>
        ))}
      </p>
    </>
  );
}

/** `notes:read` and `notes:write` are one chip, "notes read, write": ten chips would fill the screen of a phone. */
function byResource(scopes: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const scope of scopes) {
    const at = scope.lastIndexOf(':');
    const resource = scope.slice(0, at).replace('workspace:', '');
    groups.set(resource, [...(groups.get(resource) ?? []), scope.slice(at + 1)]);
  }
  return groups;
}
