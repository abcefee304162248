import { formatDay, formatRelative } from '../../lib/format.ts';
import { refreshGrants, revokeGrant, useGrants } from '../../resources/grants.ts';
import { assistantStrings as texts } from '../../strings/assistants.ts';
import { keyStrings } from '../../strings/keys.ts';
import { Button } from '../../ui/button.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Row, Section } from '../../ui/page.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';

/** Assistants that the person let in without a key, and what each may do. */
export function Assistants() {
  const grants = useGrants();
  const [question, confirm] = useConfirm();
  const disconnect = ({ id, client_name }: { id: string; client_name: string }) =>
    confirm({
      title: texts.disconnectTitle(client_name),
      description: texts.disconnectDetail,
      action: texts.disconnect,
      run: () => revokeGrant(id).then(refreshGrants),
      done: texts.disconnected,
    });
  return (
    <Section title={texts.title}>
      <p className="muted">{texts.lead(`${window.location.origin}/mcp`)}</p>
      <LoadedList from={grants} lines={2} label={texts.title}>
        {(grant) => (
          <Row
            key={grant.id}
            detail={
              <>
                <p>
                  {texts.connected(formatDay(grant.created_at))} · {texts.used(formatRelative(grant.used_at))}{' '}
                  · {hostOf(grant.redirect_uri)}
                </p>
                <p>{grant.scopes.map((scope) => keyStrings.scopeNames[scope] ?? scope).join(', ')}</p>
              </>
            }
            actions={
              <Button
                look="danger"
                aria-label={texts.disconnectThis(grant.client_name)}
                onClick={() => disconnect(grant)}
              >
                {texts.disconnect}
              </Button>
            }
          >
            {grant.client_name}
          </Row>
        )}
      </LoadedList>
      {question}
    </Section>
  );
}

const hostOf = (address: string) => URL.parse(address)?.host || address;
