import { formatRelative } from '../../lib/format.ts';
import { type Delivery, useDeliveries, type Webhook } from '../../resources/webhooks.ts';
import { webhookStrings } from '../../strings/webhooks.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge, List, Row } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';

const texts = webhookStrings;

/** The deliveries of a webhook in the last days, and their results. */
export function Deliveries({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const list = useDeliveries(webhook.id);
  return (
    <Dialog open wide onClose={onClose} title={texts.deliveries} description={webhook.url}>
      {list.isPending && <Skeleton lines={4} />}
      {list.isError && <ErrorState error={list.error} onRetry={list.refetch} />}
      {list.data?.length === 0 && <EmptyState icon="history" {...texts.nothingSent} />}
      {list.data && list.data.length > 0 && (
        <List label={texts.deliveries}>
          {list.data.map((delivery) => (
            <Row key={delivery.id} detail={<Outcome delivery={delivery} />}>
              {texts.events[delivery.event]}
            </Row>
          ))}
        </List>
      )}
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
