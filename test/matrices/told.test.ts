import { beforeAll, describe, expect, test } from 'vitest';
import { features } from '../../src/features/index.ts';
import { tellStory } from '../support/api-story.ts';
import { operations } from '../support/operations.ts';
import { type Received, startReceiver } from '../support/receiver.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/**
 * Every operation × {audit log of the server, audit log of the workspace, changes, webhooks}. The story calls each of them; an
 * operation writes what stands here, once, and what its declaration says, and one that is not here writes nothing.
 */
interface Written {
  audit?: string;
  /** In the log of the workspace too. */
  workspace?: true;
  changes?: readonly string[];
  /** A call that changes nothing may follow one that does: the same note sent again, say. */
  orNothing?: true;
}
const inWorkspace = (audit: string): Written => ({ audit, workspace: true });

const writes: Record<string, Written> = {
  'POST /api/v1/keys/create': { audit: 'key.created' },
  'POST /api/v1/keys/{id}/rotate': { audit: 'key.rotated' },
  'POST /api/v1/keys/{id}/revoke': { audit: 'key.revoked' },
  'DELETE /api/grants/{id}': { audit: 'grant.revoked' },
  'POST /api/v1/dictionary/create': { changes: ['dictionary created'] },
  'PATCH /api/v1/dictionary/{id}': { changes: ['dictionary updated'] },
  'DELETE /api/v1/dictionary/{id}': { changes: ['dictionary deleted'] },
  'POST /api/v1/dictionary/delete-many': { changes: ['dictionary deleted'] },
  'POST /api/v1/snippets/create': { changes: ['snippet created'] },
  'POST /api/v1/snippets/create-many': { changes: ['snippet created'] },
  'PATCH /api/v1/snippets/{id}': { changes: ['snippet updated'] },
  'DELETE /api/v1/snippets/{id}': { changes: ['snippet deleted'] },
  'POST /api/v1/webhooks': { audit: 'webhook.created' },
  'PATCH /api/v1/webhooks/{id}': { audit: 'webhook.changed' },
  'POST /api/v1/webhooks/{id}/rotate': { audit: 'webhook.rotated' },
  'DELETE /api/v1/webhooks/{id}': { audit: 'webhook.removed' },
  'POST /api/v1/folders/create': { changes: ['folder created'] },
  'PATCH /api/v1/folders/{id}': { changes: ['folder updated'] },
  'DELETE /api/v1/folders/{id}': { changes: ['folder deleted'] },
  'POST /api/v1/tags/create': { changes: ['tag created'] },
  // Its notes have another name, another tag or one tag less.
  'PATCH /api/v1/tags/{id}': { changes: ['note updated', 'tag updated'] },
  'POST /api/v1/tags/{id}/merge': { changes: ['note updated', 'tag deleted'] },
  'DELETE /api/v1/tags/{id}': { changes: ['note updated', 'tag deleted'] },
  'POST /api/v1/notes/create': { changes: ['note created'], orNothing: true },
  'POST /api/v1/notes/create-many': { changes: ['note created'] },
  'PATCH /api/v1/notes/{id}': { changes: ['note updated'], orNothing: true },
  'POST /api/v1/notes/{id}/revisions/{revision_id}/restore': { changes: ['note updated'] },
  'POST /api/v1/notes/change': { changes: ['note updated'] },
  'DELETE /api/v1/notes/{id}': { changes: ['note deleted'] },
  'POST /api/v1/notes/{id}/restore': { changes: ['note created'] },
  'DELETE /api/v1/notes/trash/{id}': { audit: 'note.purged' },
  // The story has emptied it before, note by note.
  'DELETE /api/v1/notes/trash': { audit: 'note.purged', orNothing: true },
  'POST /api/v1/transcribe': { changes: ['transcription created'] },
  'POST /v1/audio/transcriptions': { changes: ['transcription created'] },
  'PATCH /api/v1/transcriptions/{id}': { changes: ['note updated', 'transcription updated'] },
  'DELETE /api/v1/transcriptions/{id}': {
    audit: 'transcription.deleted',
    changes: ['transcription deleted'],
  },
  'DELETE /api/v1/recordings/{id}': { audit: 'recording.deleted' },
  'GET /api/v1/export': { audit: 'export.made' },
  'POST /api/v1/import': { audit: 'import.made' },
  'PATCH /api/account': { audit: 'account.changed' },
  'POST /api/account/email': { audit: 'account.changed' },
  'DELETE /api/account': { audit: 'account.removed' },
  'POST /api/v1/auth/email-code/verify': { audit: 'sign_in' },
  'POST /api/workspaces': inWorkspace('workspace.created'),
  'PATCH /api/workspaces/{id}/policy': inWorkspace('policy.changed'),
  'POST /api/workspaces/{id}/api-keys': inWorkspace('key.created'),
  'POST /api/workspaces/{id}/api-keys/{key_id}/rotate': inWorkspace('key.rotated'),
  'DELETE /api/workspaces/{id}/api-keys/{key_id}': inWorkspace('key.revoked'),
  'POST /api/workspaces/{id}/invitations': inWorkspace('member.invited'),
  'POST /api/workspaces/{id}/invitations/{invitation_id}/resend': inWorkspace('member.invited'),
  'DELETE /api/workspaces/{id}/invitations/{invitation_id}': inWorkspace('invitation.revoked'),
  'POST /api/invitations/{token}/accept': inWorkspace('member.added'),
  'PATCH /api/workspaces/{id}/members/{user_id}': inWorkspace('member.changed'),
  'DELETE /api/workspaces/{id}/members/{user_id}': inWorkspace('member.removed'),
  'POST /api/workspaces/{id}/spaces/{space_id}/archive': inWorkspace('space.archived'),
  'POST /api/app-passwords': { audit: 'app_password.created' },
  'DELETE /api/app-passwords/{id}': { audit: 'app_password.revoked' },
  'POST /api/operator/setup': { audit: 'setup.finished' },
  'POST /api/operator/people': { audit: 'account.created, sign_in_link.made' },
  'PATCH /api/operator/people/{id}': { audit: 'account.changed' },
  'POST /api/operator/people/{id}/sign-in-link': { audit: 'sign_in_link.made' },
  'DELETE /api/operator/people/{id}': { audit: 'account.removed' },
  'PATCH /api/operator/workspaces/{id}': inWorkspace('workspace.changed'),
};
/** What an operation may write besides, when its input asks for it. */
const otherActs: Record<string, readonly string[]> = {
  'PATCH /api/operator/people/{id}': ['account.suspended', 'account.resumed'],
  'POST /api/operator/setup': ['account.changed'],
  // The first code of an address that may have an account makes it.
  'POST /api/v1/auth/email-code/verify': ['account.created'],
  // Not in openapi.json: the page that asks about an assistant calls it.
  'POST /api/oauth/consent': ['grant.made'],
  'DELETE /api/account': ['workspace.removed', 'member.removed'],
};

interface Call {
  name: string;
  audit: { act: string; workspace: boolean }[];
  changes: string[];
}
const calls: Call[] = [];
const hooked = { events: [] as string[], changes: [] as string[] };
const nameOf = (method: string, url: string) => {
  const [path = ''] = url.split('?');
  const form = (one: string) => new RegExp(`^${one.replace(/\{\w+\}/g, '[^/]+')}$`);
  // `/notes/trash` before `/notes/{id}`.
  const found = operations.filter((one) => one.method === method && form(one.path).test(path));
  return (found.find((one) => one.path === path) ?? found[0])?.name ?? `unknown: ${method} ${path}`;
};
/** What jobs write in the background, whenever they get there. */
const isOfJob = (name: string) => /^(GET .*|.*\/(recordings|enhance|language)\b.*)$/.test(name);

beforeAll(async () => {
  const receiver = await startReceiver();
  const seen = new Set<string>();
  let writer: string | undefined;
  let began = 0;

  /** What is there since the last look. */
  async function look({ database: { db } }: TestSteno) {
    const isNew = (id: string) => !seen.has(id) && seen.add(id);
    const events = await db
      .selectFrom('audit_events')
      .select(['id', 'act', 'workspace_id', 'times'])
      .execute();
    const rows = await db.selectFrom('changes').selectAll().orderBy('tx').orderBy('seq').execute();
    return {
      audit: events.filter(({ id, times }) => isNew(`${id} ${times}`)),
      changes: rows.filter(({ tx, seq }) => isNew(`${tx} ${seq}`)),
    };
  }

  /** A webhook of the story's person, who hears everything that follows. */
  async function subscribe(steno: TestSteno, userId: string) {
    writer = userId;
    const { token } = await steno.signIn({ id: userId });
    const document = operations.find(({ name }) => name === 'POST /api/v1/webhooks')?.body?.properties;
    const events = (document?.events?.items?.enum ?? []).filter((name) => name !== 'audit.recorded');
    const made = await steno.call('POST', '/webhooks', { key: token, body: { url: receiver.url, events } });
    expect(made.status).toBe(201);
    began = (await steno.database.db.selectFrom('changes').selectAll().execute()).length;
  }

  async function heard(steno: TestSteno) {
    for (let before = -1; before !== receiver.received.length; ) {
      before = receiver.received.length;
      await steno.delivery.settle();
    }
    hooked.events = receiver.received.map(({ body }: Received) => String(body.type));
    const rows = await steno.database.db
      .selectFrom('changes')
      .selectAll()
      .orderBy('tx')
      .orderBy('seq')
      .execute();
    const known = new Set(hookEvents());
    hooked.changes = rows
      .slice(began)
      .filter(({ owner_id }) => owner_id === writer)
      .map(({ type, action }) => `${type}.${action}`)
      .filter((event) => known.has(event));
  }

  await tellStory(
    async ({ method, url, answer }, steno) => {
      const name = nameOf(method, url);
      const { audit, changes } = await look(steno);
      calls.push({
        name,
        audit: audit.map(({ act, workspace_id }) => ({ act, workspace: workspace_id !== null })),
        changes: changes.map(({ type, action }) => `${type} ${action}`),
      });
      if (name === 'GET /api/v1/me') await subscribe(steno, answer.body.data.user_id);
      if (name === 'POST /api/account/first-steps') await heard(steno);
    },
    async (steno) => {
      await look(steno);
    },
  );
  await receiver.close();
});

/** How to call in a space what takes `space_id` and is in the audit log: each is in the log of the workspace too. */
const callInSpace: Record<string, (steno: TestSteno, key: string, spaceId: string) => Promise<unknown>> = {
  'GET /api/v1/export': (steno, key, spaceId) => steno.call('GET', `/export?space_id=${spaceId}`, { key }),
  async 'POST /api/v1/import'(steno, key, spaceId) {
    const headers = { authorization: `Bearer ${key}` };
    const { rawPayload } = await steno.app.inject({ url: `/api/v1/export?space_id=${spaceId}`, headers });
    const zip = { 'content-type': 'application/zip' };
    await steno.call('POST', `/import?space_id=${spaceId}`, { key, body: rawPayload, headers: zip });
  },
  'POST /api/v1/webhooks': (steno, key, space_id) =>
    steno.call('POST', '/webhooks', {
      key,
      body: { url: 'http://127.0.0.1:9/hook', events: ['note.created'], space_id },
    }),
  async 'DELETE /api/v1/notes/trash'(steno, key, space_id) {
    const note = await steno.call('POST', '/notes/create', { key, body: { content: 'Gone.', space_id } });
    await steno.call('DELETE', `/notes/${note.body.data.id}`, { key });
    await steno.call('DELETE', `/notes/trash?space_id=${space_id}`, { key });
  },
};

const hookEvents = () => {
  const body = operations.find(({ name }) => name === 'POST /api/v1/webhooks')?.body?.properties;
  return (body?.events?.items?.enum ?? []).map(String);
};
const changesOf = ({ changes }: Call) => changes.filter((one) => one !== 'audit recorded');

describe('what an operation tells', () => {
  test('the audit log has what is declared, once, and nothing else', () => {
    const wrong = calls.filter(({ name, audit }) => {
      const { audit: expected = '', orNothing } = writes[name] ?? {};
      const acts = audit.map(({ act }) => act).join(', ');
      return acts !== expected && !(orNothing && acts === '');
    });
    expect(wrong.map(({ name, audit }) => [name, audit.map(({ act }) => act)])).toEqual([]);
  });

  test('the log of a workspace has what was done in it', () => {
    const wrong = calls.filter(({ name, audit }) =>
      audit.some(({ workspace }) => workspace !== (writes[name]?.workspace ?? false)),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  const inSpace = operations.filter(({ name, queryNames, body }) => {
    const takesSpace = queryNames.includes('space_id') || body?.properties?.space_id !== undefined;
    return writes[name]?.audit !== undefined && takesSpace;
  });
  test.each(inSpace)('$name in a space is in the log of its workspace', async ({ name }) => {
    const steno = await startSteno({ config: { webhookNetworks: ['127.0.0.1'] } });
    const { user, space, workspace } = await steno.team();
    const { token } = await steno.signIn(user);
    await callInSpace[name]?.(steno, token, space.id);
    const acts = steno.database.db.selectFrom('audit_events').select(['act', 'workspace_id']);
    const written = (await acts.execute()).filter(({ act }) => act === writes[name]?.audit);
    await steno.close();
    expect(written.at(-1)?.workspace_id).toBe(workspace.id);
  });

  test('each entry of the audit log is an event of the server, and of its workspace', () => {
    const wrong = calls.filter(({ audit, changes }) => {
      const events = changes.filter((one) => one === 'audit recorded').length;
      return events !== audit.reduce((sum, { workspace }) => sum + (workspace ? 2 : 1), 0);
    });
    expect(wrong).toEqual([]);
  });

  test('changes have what was changed, and nothing else', () => {
    const wrong = calls.filter((call) => {
      if (isOfJob(call.name)) return false;
      const { changes: expected = [], orNothing } = writes[call.name] ?? {};
      const found = [...new Set(changesOf(call))].sort();
      return found.join() !== expected.join() && !(orNothing && found.length === 0);
    });
    expect(wrong.map(({ name, changes }) => [name, changes])).toEqual([]);
  });

  test('webhooks get each change of their owner once', () => {
    expect(hooked.changes.length).toBeGreaterThan(20);
    expect(hooked.events.toSorted()).toEqual(hooked.changes.toSorted());
  });

  test('declarations name the same acts', () => {
    const wrong = features
      .flatMap((feature) => Object.values(feature.operations))
      .flatMap(({ method, path, declaration }) => {
        const name = `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
        const known = [...(writes[name]?.audit?.split(', ') ?? []), ...(otherActs[name] ?? [])];
        const declared = [...(declaration.audit ?? [])];
        return known.toSorted().join() === declared.toSorted().join() ? [] : [[name, known, declared]];
      });
    expect(wrong).toEqual([]);
  });

  test('every operation that writes is in the story', () => {
    const called = new Set(calls.map(({ name }) => name));
    const left = operations.filter(({ method, name }) => method !== 'GET' && !called.has(name));
    expect(left.map(({ name }) => name)).toEqual([]);
  });
});
