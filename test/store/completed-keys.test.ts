import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFolder } from '../../src/features/folders/operations.ts';

import { createAppPassword } from '../../src/features/identity/app-passwords/operations.ts';
import { createInvitation } from '../../src/features/invitations/operations.ts';
import { createKey, rotateKey } from '../../src/features/keys/operations.ts';
import { createNote, createNotes } from '../../src/features/notes/operations.ts';
import { createSnippet } from '../../src/features/snippets/operations.ts';
import { page } from '../../src/features/snippets/queries.ts';
import { createSpace } from '../../src/features/spaces/of-workspace.ts';
import { takeLease } from '../../src/features/transcribe/lease.ts';
import { createWebhook, rotateWebhook } from '../../src/features/webhooks/operations.ts';
import { createWorkspace } from '../../src/features/workspaces/operations.ts';
import type { Operation } from '../../src/kernel/operation.ts';
import { completionOf } from '../../src/kernel/run.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { Claim } from '../../src/platform/database/idempotency.ts';
import { act } from '../support/act.ts';
import { principalOf } from '../support/principal.ts';
import { at, insertPerson, insertTeam, keyRow, transcriptionRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

/** Prepares, and returns what a request with an Idempotency-Key then does. `id` is of what it makes. */
type Act = (ada: string, id: string) => Promise<(claim: Claim) => Promise<unknown>>;
const carriedOut =
  (operation: Operation, userId: string, id: string, input: object) =>
  (claim: Claim): Promise<unknown> => {
    const ids = [id];
    const newId = () => ids.pop() ?? newUuid();
    return act(steno.database, operation, { userId, now: at(0), newId, claim }, input);
  };

const webhookDraft = { url: 'https://192.0.2.1/', events: ['note.created'] };
const acts: Record<string, Act> = {
  'a transcription': async (ada, id) => {
    const { database, parts } = steno;
    return async (claim) => {
      const context = {
        db: database.db,
        database,
        who: principalOf(ada),
        now: at(0),
        newId: newUuid,
        parts,
        complete: completionOf({ claim }),
      };
      const lease = await takeLease(context, new AbortController().signal);
      await lease.settle(transcriptionRow(ada, { id }));
      await lease.end();
    };
  },
  'a workspace': async (ada, id) => carriedOut(createWorkspace, ada, id, { body: { name: 'Team' } }),
  'a space': async (_, id) => {
    const ours = await insertTeam(store);
    return carriedOut(createSpace, ours.admin.id, id, { id: ours.id, body: { name: 'General' } });
  },
  'an invitation': async (_, id) => {
    const ours = await insertTeam(store);
    const body = { email: `${newUuid()}@example.org`, role: 'member', managed: false };
    return carriedOut(createInvitation, ours.admin.id, id, { id: ours.id, body });
  },
  'a key': async (ada, id) => carriedOut(createKey, ada, id, { body: { name: 'Laptop' } }),
  'a new secret of a key': async (ada, id) => {
    await store.keys.insert(keyRow(ada, { id }), 9, at(0));
    return carriedOut(rotateKey, ada, id, { id, body: { grace_hours: 1 } });
  },
  'an app password': async (ada, id) => carriedOut(createAppPassword, ada, id, { body: { name: 'Mail' } }),
  'a webhook': async (userId, id) => (claim) =>
    act(
      steno.database,
      createWebhook,
      { userId, now: at(0), newId: () => id, claim },
      { body: webhookDraft },
    ),
  'a new secret of a webhook': async (userId, id) => {
    const call = { userId, now: at(0), newId: () => id };
    await act(steno.database, createWebhook, call, { body: webhookDraft });
    return (claim) =>
      act(steno.database, rotateWebhook, { ...call, claim }, { id, body: { grace_hours: 0 } });
  },
};
/** What a second request with the key is told. */
async function answerAfter(act: Act, id: string): Promise<unknown> {
  const { id: ada } = await insertPerson(store);
  const work = await act(ada, id);
  const begin = (claimId: string) =>
    store.idempotency.begin({ id: claimId, caller: ada, route: 'r', keyHash: 'k', expiresAt: at(9) }, at(0));
  const claim = newUuid();
  expect(await begin(claim)).toBe('begun');
  const complete = (made: object) => ({ fingerprint: 'f', answer: JSON.stringify(made) });
  await work({ id: claim, complete });
  await store.idempotency.end(claim, false);
  const again = await begin(newUuid());
  return typeof again === 'string' ? again : JSON.parse(again.answer);
}

test.each(Object.keys(acts))('%s completes the Idempotency-Key of its request', async (name) => {
  const id = newUuid();
  expect(await answerAfter(acts[name] as Act, id)).toMatchObject({ id });
});

/** Operations, and what each is asked for. */
const operations: Record<string, [Operation, (ada: string) => Promise<object>]> = {
  'a folder': [createFolder, async () => ({ name: 'Plans' })],
  'a note': [createNote, async () => note],
  'a note of a transcription': [
    createNote,
    async (ada) => {
      const words = transcriptionRow(ada);
      await store.imports.insertTranscription({ ...words, segments: null });
      return { ...note, transcription_id: words.id };
    },
  ],
};
const note = { content: 'x', note_type: 'personal' };

async function keptOf(operation: Operation, input: (ada: string) => Promise<object>) {
  const { id: userId } = await insertPerson(store);
  const key = { caller: userId, route: 'r', keyHash: 'k', expiresAt: at(9) };
  const id = newUuid();
  const claim = {
    id: newUuid(),
    complete: (made: object) => ({ fingerprint: 'f', answer: JSON.stringify(made) }),
  };
  await store.idempotency.begin({ ...key, id: claim.id }, at(0));
  const given = await input(userId);
  const call = { userId, now: at(0), newId: () => id };
  await act(steno.database, operation, { ...call, claim }, given);
  const known = await store.idempotency.begin({ ...key, id: newUuid() }, at(0));
  return { id, known };
}

test.each(Object.keys(operations))('%s completes the Idempotency-Key, in its transaction', async (name) => {
  const [operation, body] = operations[name] ?? expect.fail(name);
  const { id, known } = await keptOf(operation, async (ada) => ({ body: await body(ada) }));
  expect(known).toMatchObject({ answer: JSON.stringify({ id, kept: {} }) });
});

test('many notes complete the Idempotency-Key of their request', async () => {
  const { id, known } = await keptOf(createNotes, async () => ({ rows: [note] }));
  const rows = [{ status: 201, id, error: null }];
  expect(known).toMatchObject({ answer: JSON.stringify({ id: '', kept: { rows } }) });
});

test('an operation completes the Idempotency-Key of its request, in its transaction', async () => {
  const { id: userId } = await insertPerson(store);
  const key = { caller: userId, route: 'r', keyHash: 'k', expiresAt: at(9) };
  const id = newUuid();
  const claim = {
    id: newUuid(),
    complete: (made: object) => ({ fingerprint: 'f', answer: JSON.stringify(made) }),
  };
  await store.idempotency.begin({ ...key, id: claim.id }, at(0));
  const body = { trigger: 'sig', replacement: 'Ada' };
  const call = { userId, now: at(0), newId: () => id };
  await act(steno.database, createSnippet, { ...call, claim }, { body });
  const known = await store.idempotency.begin({ ...key, id: newUuid() }, at(0));
  expect(known).toMatchObject({ answer: JSON.stringify({ id, kept: {} }) });
  // Another server took the key meanwhile: then nothing is made.
  const lost = { ...claim, id: newUuid() };
  const again = { body: { ...body, trigger: 'other' } };
  expect(await act(steno.database, createSnippet, { ...call, newId: newUuid, claim: lost }, again)).toBe(
    'service_unavailable',
  );
  expect(await page(steno.database.db, userId, { limit: 9 })).toHaveLength(1);
});
