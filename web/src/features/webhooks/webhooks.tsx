import { useState } from 'react';
import { formatRelative } from '../../lib/format.ts';
import { useShownOnce } from '../../lib/shown-once.ts';
import {
  deleteWebhook,
  type NewWebhook,
  refreshWebhooks,
  rotateWebhook,
  setPaused,
  useWebhooks,
  type Webhook,
  type WebhookPlace,
} from '../../resources/webhooks.ts';
import { commonStrings } from '../../strings/common.ts';
import { webhookStrings as texts } from '../../strings/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Badge, Row, Section } from '../../ui/page.tsx';
import { SecretShown } from '../../ui/secret-shown.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useConfirm } from '../../ui/use-confirm.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookForm } from './webhook-form.tsx';

/** Addresses that get events: the webhooks of a person, or with a place the webhooks of an audit log. */
export function Webhooks({ of }: { of?: WebhookPlace }) {
  const list = useWebhooks(of);
  const [creating, setCreating] = useState(false);
  const secrets = useShownOnce<NewWebhook>(`webhook ${JSON.stringify(of)}`);
  const [looked, setLooked] = useState<Webhook>();
  const [question, confirm] = useConfirm();
  function made(webhook: NewWebhook) {
    secrets.show(webhook);
    return refreshWebhooks();
  }
  const pause = useAction(setPaused, refreshWebhooks);
  const rotate = ({ id }: Webhook) =>
    confirm({
      title: texts.rotateTitle,
      description: texts.rotateDetail,
      action: texts.rotate,
      run: () => rotateWebhook(id).then(made),
    });
  const remove = ({ id }: Webhook) =>
    confirm({
      title: texts.deleteTitle,
      description: texts.deleteDetail,
      action: commonStrings.delete,
      run: () => deleteWebhook(id).then(refreshWebhooks),
      done: texts.deleted,
    });
  return (
    <Section
      title={texts.title}
      actions={
        <Button icon="plus" onClick={() => setCreating(true)}>
          {texts.create}
        </Button>
      }
    >
      <p className="muted">{of ? texts.auditLead : texts.lead}</p>
      {secrets.values.map((one) => (
        <SecretShown
          key={one.secret}
          title={texts.secretTitle}
          detail={`${one.url}. ${texts.secretDetail}`}
          label={texts.secret}
          text={one.secret}
          copy={texts.copySecret}
          onDone={() => secrets.dismiss(one)}
        />
      ))}
      <LoadedList from={list} lines={2} label={texts.title}>
        {(webhook) => (
          <Row
            key={webhook.id}
            detail={<Detail webhook={webhook} />}
            actions={
              <>
                <Button onClick={() => setLooked(webhook)} aria-label={texts.deliveriesOf(webhook.url)}>
                  {texts.deliveries}
                </Button>
                <Button onClick={() => rotate(webhook)} aria-label={texts.rotateOf(webhook.url)}>
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
                  onClick={() => remove(webhook)}
                  aria-label={texts.deleteOf(webhook.url)}
                >
                  {commonStrings.delete}
                </Button>
              </>
            }
          >
            {webhook.url}
          </Row>
        )}
      </LoadedList>
      {creating && <WebhookForm of={of} onCreated={made} onClose={() => setCreating(false)} />}
      {looked && <Deliveries webhook={looked} onClose={() => setLooked(undefined)} />}
      {question}
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
