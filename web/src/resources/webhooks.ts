import type { components, operations } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at, slow } from '../api/client.ts';
import { useData } from './use-data.ts';

export type Webhook = components['schemas']['Webhook'];
export type Delivery = components['schemas']['WebhookDelivery'];
type WebhookDraft = operations['createWebhook']['requestBody']['content']['application/json'];
export type WebhookEvent = Webhook['events'][number];

/** With its secret, which is told once. */
export type NewWebhook = Awaited<ReturnType<typeof createWebhook>>;

/** Whose audit log. */
export type WebhookPlace = { workspace_id: string } | { server: true };

const listKey = ['webhooks'];
const maxShown = 20;

export const useWebhooks = (of?: WebhookPlace) =>
  useData([...listKey, of], () => {
    const query = of && 'server' in of ? { server: 'true' as const } : { ...of };
    return api.GET('/api/v1/webhooks', { params: { query } });
  });

/** What was sent last, the latest first. */
export const useDeliveries = (id: string) =>
  useData([...listKey, id, 'deliveries'], () => {
    const params = { path: { id }, query: { limit: maxShown } };
    return api.GET('/api/v1/webhooks/{id}/deliveries', { params });
  });

export const createWebhook = async (body: WebhookDraft) =>
  (await api.POST('/api/v1/webhooks', { body })).data;

export const setPaused = ({ id, paused }: { id: string; paused: boolean }) =>
  api.PATCH('/api/v1/webhooks/{id}', {
    ...at({ id }),
    body: { status: paused ? 'paused' : 'active' },
  });

export const testWebhook = async (id: string) =>
  (await api.POST('/api/v1/webhooks/{id}/test', { ...at({ id }), ...slow })).data;

export const rotateWebhook = async (id: string) =>
  (await api.POST('/api/v1/webhooks/{id}/rotate', at({ id }))).data;

export const deleteWebhook = (id: string) => api.DELETE('/api/v1/webhooks/{id}', at({ id }));

export const refreshWebhooks = () => cache.invalidateQueries({ queryKey: listKey });
