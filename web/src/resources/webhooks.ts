import type { components, operations } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api, slow } from '../api/client.ts';

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
  useQuery({
    queryKey: [...listKey, of],
    queryFn: async () => {
      const query = of && 'server' in of ? { server: 'true' as const } : { ...of };
      return (await api.GET('/api/v1/webhooks', { params: { query } })).data;
    },
  });

/** What was sent last, the latest first. */
export const useDeliveries = (id: string) =>
  useQuery({
    queryKey: [...listKey, id, 'deliveries'],
    queryFn: async () => {
      const params = { path: { id }, query: { limit: maxShown } };
      return (await api.GET('/api/v1/webhooks/{id}/deliveries', { params })).data;
    },
  });

export const createWebhook = async (body: WebhookDraft) =>
  (await api.POST('/api/v1/webhooks', { body })).data;

export const setPaused = ({ id, paused }: { id: string; paused: boolean }) =>
  api.PATCH('/api/v1/webhooks/{id}', {
    params: { path: { id } },
    body: { status: paused ? 'paused' : 'active' },
  });

export const testWebhook = async (id: string) =>
  (await api.POST('/api/v1/webhooks/{id}/test', { params: { path: { id } }, ...slow })).data;

export const rotateWebhook = async (id: string) =>
  (await api.POST('/api/v1/webhooks/{id}/rotate', { params: { path: { id } } })).data;

export const deleteWebhook = (id: string) =>
  api.DELETE('/api/v1/webhooks/{id}', { params: { path: { id } } });

export const refreshWebhooks = () => cache.invalidateQueries({ queryKey: listKey });
