import type { components, operations } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api, at, slow } from '../api/client.ts';
import { untilReachable } from '../lib/connection.ts';
import { useData } from './use-data.ts';
import { steady, usePages } from './use-pages.ts';

export type Check = components['schemas']['Check'];
export type Person = components['schemas']['Person'];
export type SeenWorkspace = components['schemas']['SeenWorkspace'];
export type AuditEvent = components['schemas']['AuditEvent'];
export type PersonDraft = operations['addPerson']['requestBody']['content']['application/json'];
export type PersonChanges = operations['updatePerson']['requestBody']['content']['application/json'];

export type Setup = components['schemas']['Setup'];
export type Entered = operations['finishSetup']['requestBody']['content']['application/json'];

const lookEveryMs = 10_000;
const applyingMs = 400;
const perPage = 50;
const peopleKey = ['people'];

export const useStatus = () =>
  useData(['status'], () => api.GET('/api/operator/status'), {
    refetchInterval: lookEveryMs,
  });

const setupKey = ['setup'];
const lookAtSetup = async () => (await api.GET('/api/operator/setup')).data;
export const useSetup = () => useQuery({ queryKey: setupKey, queryFn: lookAtSetup });
export const refreshSetup = () => cache.invalidateQueries({ queryKey: setupKey });
export const keepSetup = (setup: Setup) => cache.setQueryData(setupKey, setup);

export const checkSetup = async (body: Entered) =>
  (await api.POST('/api/operator/setup/check', { body, ...slow })).data;

/** Waits until the server has started again. Meanwhile it does not answer. */
export async function finishSetup(body: Entered): Promise<Setup> {
  let { data } = await api.POST('/api/operator/setup', { body, ...slow });
  while (data.state === 'applying') {
    await untilReachable(applyingMs);
    data = await lookAtSetup().catch(() => data);
  }
  return data;
}

export const sendTestMail = async () => (await api.POST('/api/operator/mail-test', slow)).data;

/** The newest first: all, or those whose name or address has `text` in it. */
export const usePeople = (text: string) =>
  usePages(
    [...peopleKey, text],
    (page, signal) => {
      const query = { limit: perPage, ...(text && { query: text }), ...page };
      return api.GET('/api/operator/people', { params: { query }, signal });
    },
    steady,
  );

const workspacesKey = ['all workspaces'];
export const useAllWorkspaces = () =>
  usePages(workspacesKey, (page, signal) =>
    api.GET('/api/operator/workspaces', { params: { query: { limit: perPage, ...page } }, signal }),
  );

/** Of the whole server, or of a workspace. */
export const useAudit = (workspaceId: string | undefined, act: AuditEvent['act'] | '') =>
  usePages(['audit', workspaceId, act], (page, signal) => {
    const query = { limit: perPage, ...(act && { act }), ...page };
    return workspaceId === undefined
      ? api.GET('/api/audit', { params: { query }, signal })
      : api.GET('/api/workspaces/{id}/audit', { params: { path: { id: workspaceId }, query }, signal });
  });

/** For a link: the browser downloads it. */
export const auditCsv = (workspaceId: string | undefined, act: string) =>
  `${workspaceId === undefined ? '/api/audit' : `/api/workspaces/${workspaceId}/audit`}/csv${act ? `?act=${act}` : ''}`;

export const addPerson = async (body: PersonDraft) => (await api.POST('/api/operator/people', { body })).data;
export const changePersonOf = async (id: string, body: PersonChanges) =>
  (await api.PATCH('/api/operator/people/{id}', { ...at({ id }), body })).data;
export const makeSignInLink = async (id: string) =>
  (await api.POST('/api/operator/people/{id}/sign-in-link', at({ id }))).data;
export const signPersonOut = (id: string) => api.DELETE('/api/operator/people/{id}/sessions', at({ id }));
export const removePerson = (id: string) =>
  api.DELETE('/api/operator/people/{id}', { ...at({ id }), ...slow });

export const setWorkspacePlan = (id: string, plan: Person['plan']) =>
  api.PATCH('/api/operator/workspaces/{id}', { ...at({ id }), body: { plan } });

export const refreshWorkspaces = () => cache.invalidateQueries({ queryKey: workspacesKey });
export const refreshPeople = () => cache.invalidateQueries({ queryKey: peopleKey });
