import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatRelative } from '../../lib/format.ts';
import { useShownOnce } from '../../lib/shown-once.ts';
import {
  createWebhook,
  deleteWebhook,
  refreshWebhooks,
  rotateWebhook,
  setPaused,
  useWebhooks,
  type Webhook,
  type WebhookPlace,
} from '../../resources/webhooks.ts';
import { commonStrings } from '../../strings/common.ts';
import { webhookStrings } from '../../strings/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Badge, List, Row, Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { SecretShown } from '../keys/new-key.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookForm } from './webhook-form.tsx';

const texts = webhookStrings;

/** Addresses that get events: a person's own, or with a place those of an audit log. */
export function Webhooks({ of }: { of?: WebhookPlace }) {
  const client = useQueryClient();
  const list = useWebhooks(of);
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useShownOnce<string>(`webhook ${JSON.stringify(of)}`);
  const [asked, setAsked] = useState<Webhook>();
  const [looked, setLooked] = useState<Webhook>();
  const [rotated, setRotated] = useState<Webhook>();
  const refresh = () => refreshWebhooks(client);
  const create = useMutation({
    mutationFn: createWebhook,
    onSuccess(made) {
      setSecret(made.secret);
      setCreating(false);
      return refresh();
    },
  });
  const rotate = useMutation({
    mutationFn: rotateWebhook,
    onSuccess(made) {
      setSecret(made.secret);
      setRotated(undefined);
      return refresh();
    },
    onError: toastError,
  });
  const pause = useMutation({ mutationFn: setPaused, onSuccess: refresh, onError: toastError });
  const remove = useMutation({
    mutationFn: deleteWebhook,
    onSuccess() {
      setAsked(undefined);
      toast({ title: texts.deleted });
      return refresh();
    },
    onError: toastError,
  });
  function open() {
    create.reset();
    setCreating(true);
  }
  return (
    <Section
      title={texts.title}
      actions={
        <Button icon="plus" onClick={open}>
          {texts.create}
        </Button>
      }
    >
      <p className="muted">{of ? texts.auditLead : texts.lead}</p>
      {secret && (
        <SecretShown
          title={texts.secretTitle}
          detail={texts.secretDetail}
          label={texts.secret}
          text={secret}
          copy={texts.copySecret}
          onDone={() => setSecret(undefined)}
        />
      )}
      {list.isPending && <Skeleton lines={2} />}
      {list.isError && <ErrorState error={list.error} onRetry={list.refetch} />}
      {list.data && list.data.length > 0 && (
        <List label={texts.title}>
          {list.data.map((webhook) => (
            <Row
              key={webhook.id}
              detail={<Detail webhook={webhook} />}
              actions={
                <>
                  <Button onClick={() => setLooked(webhook)} aria-label={texts.deliveriesOf(webhook.url)}>
                    {texts.deliveries}
                  </Button>
                  <Button onClick={() => setRotated(webhook)} aria-label={texts.rotateOf(webhook.url)}>
                    {texts.rotate}
                  </Button>
                  <Button
                    onClick={() => pause.mutate({ id: webhook.id, paused: webhook.status === 'active' })}
                    aria-label={
                      webhook.status === 'active' ? texts.pauseOf(webhook.url) : texts.resumeOf(webhook.url)
                    }
                  >
                    {webhook.status === 'active' ? texts.pause : texts.resume}
                  </Button>
                  <Button
                    look="danger"
                    onClick={() => setAsked(webhook)}
                    aria-label={texts.deleteOf(webhook.url)}
                  >
                    {commonStrings.delete}
                  </Button>
                </>
              }
            >
              {webhook.url}
            </Row>
          ))}
        </List>
      )}
      {creating && (
        <WebhookForm
          of={of}
          busy={create.isPending}
          error={create.error}
          onClose={() => setCreating(false)}
          onCreate={create.mutate}
        />
      )}
      {looked && <Deliveries webhook={looked} onClose={() => setLooked(undefined)} />}
      <ConfirmDialog
        open={rotated !== undefined}
        onClose={() => setRotated(undefined)}
        title={texts.rotateTitle}
        description={texts.rotateDetail}
        action={texts.rotate}
        busy={rotate.isPending}
        onConfirm={() => rotated && rotate.mutate(rotated.id)}
      />
      <ConfirmDialog
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={texts.deleteTitle}
        description={texts.deleteDetail}
        action={commonStrings.delete}
        busy={remove.isPending}
        onConfirm={() => asked && remove.mutate(asked.id)}
      />
    </Section>
  );
}

const Detail = ({ webhook: { status, pause_reason, failing_since, events } }: { webhook: Webhook }) => (
  <>
    <p>{events.map((event) => texts.events[event]).join(' · ')}</p>
    {status === 'paused' && (
      <p>
        <Badge tone="warning">{texts.paused}</Badge> {pause_reason}
      </p>
    )}
    {status === 'active' && failing_since !== null && (
      <p>
        <Badge tone="warning">{texts.failing(formatRelative(failing_since))}</Badge>
      </p>
    )}
  </>
);
