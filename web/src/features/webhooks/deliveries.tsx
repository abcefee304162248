import { formatRelative } from '../../lib/format.ts';
import {
  type Delivery,
  refreshWebhooks,
  testWebhook,
  useDeliveries,
  type Webhook,
} from '../../resources/webhooks.ts';
import { webhookStrings as texts } from '../../strings/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Badge, Row } from '../../ui/page.tsx';
import { useAction } from '../../ui/use-action.ts';
import styles from '../keys/keys.module.css';

/** The deliveries of a webhook in the last days, and their results. */
export function Deliveries({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const list = useDeliveries(webhook.id);
  // The list shows how it ended.
  const test = useAction(() => testWebhook(webhook.id), refreshWebhooks);
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={texts.deliveries}
      description={webhook.url}
      footer={
        <Button busy={test.isPending} onClick={() => test.mutate()}>
          {texts.test}
        </Button>
      }
    >
      <LoadedList
        from={list}
        lines={4}
        label={texts.deliveries}
        empty={{ icon: 'history', ...texts.nothingSent }}
      >
        {(delivery) => (
          <Row
            key={delivery.id}
            detail={
              <>
                <Outcome delivery={delivery} />
                <Heads delivery={delivery} />
              </>
            }
          >
            {delivery.event === 'webhook.test' ? texts.testEvent : texts.events[delivery.event]}
          </Row>
        )}
      </LoadedList>
    </Dialog>
  );
}

function Outcome({ delivery }: { delivery: Delivery }) {
  const { delivered_at, last_attempt_at, attempts, error, response_status } = delivery;
  if (delivered_at !== null) return <p>{texts.delivered(formatRelative(delivered_at), response_status)}</p>;
  return (
    <p>
      <Badge tone="warning">{texts.notDelivered}</Badge>{' '}
      {texts.attempts(attempts, formatRelative(last_attempt_at))} {error}
    </p>
  );
}

function Heads({ delivery: { request_head, response_head } }: { delivery: Delivery }) {
  if (request_head === null) return null;
  return (
    <details>
      <summary>{texts.heads}</summary>
      {(
        [
          [texts.sentHead, request_head],
          [texts.answeredHead, response_head],
        ] as const
      ).map(
        ([title, head]) =>
          head !== null && (
            <figure key={title}>
              <figcaption className="field-label">{title}</figcaption>
              <pre className={styles.head}>{head}</pre>
            </figure>
          ),
      )}
    </details>
  );
}
