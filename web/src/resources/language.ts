import type { components, operations } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { useHasModel } from './session.ts';
import { useData } from './use-data.ts';
import { useWorkspaces } from './workspaces.ts';

export type Action = components['schemas']['Action'];
export type ActionDraft = operations['createAction']['requestBody']['content']['application/json'];
type ActionChange = operations['updateAction']['requestBody']['content']['application/json'];
export type LanguageSettings = components['schemas']['LanguageSettings'];
export type LanguageWish = operations['updateLanguageSettings']['requestBody']['content']['application/json'];

const settingsKey = ['language', 'settings'];
const actionsKey = ['language', 'actions'];
const freshMs = 5 * 60_000;

export const useLanguageSettings = () =>
  useData(settingsKey, () => api.GET('/api/v1/language/settings'), {
    enabled: useHasModel(),
    staleTime: freshMs,
  });

export async function changeLanguageSettings(body: LanguageWish): Promise<void> {
  const { data } = await api.PATCH('/api/v1/language/settings', { body });
  cache.setQueryData(settingsKey, data);
}

/** What can be asked of the model: built in, the person's own, and those that workspaces share. */
export const useActions = () =>
  useData(actionsKey, () => api.GET('/api/v1/actions'), {
    enabled: useHasModel(),
    staleTime: freshMs,
  });

const refresh = () => cache.invalidateQueries({ queryKey: actionsKey });

export async function createAction(body: ActionDraft): Promise<void> {
  await api.POST('/api/v1/actions', { body });
  await refresh();
}

export async function changeAction(id: string, body: ActionChange): Promise<void> {
  await api.PATCH('/api/v1/actions/{id}', { ...at({ id }), body });
  await refresh();
}

export async function deleteAction(id: string): Promise<void> {
  await api.DELETE('/api/v1/actions/{id}', at({ id }));
  await refresh();
}

/** Who says that no text of this person goes to a model. */
export function useForbiddenBy(): 'person' | { workspace: string } | undefined {
  const settings = useLanguageSettings().data;
  const blocking = useWorkspaces().data?.find(
    ({ managed, policy }) => managed && policy.block_language_models,
  );
  if (blocking) return { workspace: blocking.name };
  return settings?.allowed === false ? 'person' : undefined;
}

/** Where texts go: the host of the model's address. Undefined while its server does not answer. */
export function useModelHost(): string | undefined {
  const address = useLanguageSettings().data?.model?.address;
  return address ? new URL(address).host : undefined;
}
