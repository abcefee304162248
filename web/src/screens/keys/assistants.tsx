import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDay, formatRelative } from '../../lib/format.ts';
import { refreshGrants, revokeGrant, useGrants } from '../../resources/grants.ts';
import { assistantStrings } from '../../strings/assistants.ts';
import { keyStrings } from '../../strings/keys.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { List, Row, Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';

const texts = assistantStrings;

/** Assistants that the person let in without a key, and what each may do. */
export function Assistants() {
  const client = useQueryClient();
  const grants = useGrants();
  const [asked, setAsked] = useState<{ id: string; client_name: string }>();
  const disconnect = useMutation({
    mutationFn: revokeGrant,
    onSuccess() {
      setAsked(undefined);
      toast({ title: texts.disconnected });
      return refreshGrants(client);
    },
    onError: toastError,
  });
  return (
    <Section title={texts.title}>
      <p className="muted">{texts.lead(`${window.location.origin}/mcp`)}</p>
      {grants.isPending && <Skeleton lines={2} />}
      {grants.isError && <ErrorState error={grants.error} onRetry={grants.refetch} />}
      {grants.data && grants.data.length > 0 && (
        <List label={texts.title}>
          {grants.data.map((grant) => (
            <Row
              key={grant.id}
              detail={
                <>
                  <p>
                    {texts.connected(formatDay(grant.created_at))} ·{' '}
                    {texts.used(formatRelative(grant.used_at))} · {hostOf(grant.redirect_uri)}
                  </p>
                  <p>{grant.scopes.map((scope) => keyStrings.scopeNames[scope] ?? scope).join(', ')}</p>
                </>
              }
              actions={
                <Button
                  look="danger"
                  aria-label={texts.disconnectThis(grant.client_name)}
                  onClick={() => setAsked(grant)}
                >
                  {texts.disconnect}
                </Button>
              }
            >
              {grant.client_name}
            </Row>
          ))}
        </List>
      )}
      <ConfirmDialog
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={texts.disconnectTitle(asked?.client_name ?? '')}
        description={texts.disconnectDetail}
        action={texts.disconnect}
        busy={disconnect.isPending}
        onConfirm={() => asked && disconnect.mutate(asked.id)}
      />
    </Section>
  );
}

const hostOf = (address: string) => URL.parse(address)?.host || address;
