import type { components } from '@steno/sdk';
import { useState } from 'react';
import { formatDay, formatRelative } from '../../lib/format.ts';
import { keyStrings as texts } from '../../strings/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, List, Row } from '../../ui/page.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';
import styles from './keys.module.css';
import { RotateDialog } from './rotate-dialog.tsx';

type ApiKey = components['schemas']['ApiKey'];

const soonMs = 7 * 24 * 60 * 60_000;

interface Props<Made> {
  keys: readonly ApiKey[];
  revoke(id: string): Promise<unknown>;
  rotate(id: string, graceHours: number): Promise<Made>;
  onRotated(made: Made, old: ApiKey): unknown;
}

export function KeyList<Made>({ keys, revoke, rotate, onRotated }: Props<Made>) {
  const [rotated, setRotated] = useState<ApiKey>();
  const [question, confirm] = useConfirm();
  const askToRevoke = ({ id, name }: ApiKey) =>
    confirm({
      title: texts.revokeTitle(name),
      description: texts.revokeDetail,
      action: texts.revoke,
      run: () => revoke(id),
      done: texts.revoked,
    });
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
                <Button look="danger" aria-label={texts.revokeKey(key.name)} onClick={() => askToRevoke(key)}>
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
          rotate={(graceHours) => rotate(rotated.id, graceHours)}
          onRotated={(made) => onRotated(made, rotated)}
          onClose={() => setRotated(undefined)}
        />
      )}
      {question}
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
