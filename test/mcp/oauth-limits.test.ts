import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultPlans } from '../../src/domain/plans.ts';
import { operator } from '../../src/domain/principal.ts';
import { type Connecting, listTools, startConnecting, useTool } from '../support/connect.ts';
import { anyDatabase } from '../support/steno.ts';

const perMinute = 12;
const scopes = ['notes:read', 'dictionary:write', 'transcriptions:write'];
const audio = { audio_base64: Buffer.from('no sound').toString('base64'), filename: 'x.wav' };

describe.each(anyDatabase)(
  'what limits a key limits an assistant of the same person, on %s',
  (databaseKind) => {
    let now = Date.now();
    let steno: Connecting;
    beforeAll(async () => {
      const business = { ...defaultPlans.business, requestsPerMinute: perMinute };
      const free = { ...defaultPlans.free, transcription: false };
      const config = { plans: { ...defaultPlans, business, free } };
      steno = await startConnecting({ databaseKind, clock: () => now, config });
    });
    afterAll(() => steno.close());
    beforeEach(() => {
      now += 3_600_000;
    });

    async function connected() {
      const person = await steno.signedIn();
      const { verifier, request } = await steno.asked({ scope: scopes.join(' ') });
      const { body } = await person.consent(request, scopes);
      const code = new URL(body.data.redirect).searchParams.get('code') ?? '';
      const answer = await steno.postForm('/oauth/token', {
        grant_type: 'authorization_code',
        code,
        client_id: request.client_id,
        code_verifier: verifier,
        redirect_uri: request.redirect_uri,
      });
      expect(answer.status).toBe(200);
      return { ...person, token: answer.body.access_token as string };
    }
    const post = (credential: string, message: string) =>
      steno.post(message, { authorization: `Bearer ${credential}` });
    const use = async (credential: string, tool: string, args: object) =>
      (await post(credential, useTool(tool, args))).text;

    test('the policy of a workspace that manages them', async () => {
      const { user, key, token } = await connected();
      const add = (credential: string) => use(credential, 'add_dictionary_words', { words: ['Kaizeli'] });
      expect(await add(token)).toContain('Kaizeli');
      const { workspace } = await steno.team();
      await steno.members.add(operator, workspace.id, { user_id: user.id, role: 'member' });
      await steno.members.update(operator, workspace.id, user.id, { managed: true });
      await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
      const refused = await add(token);
      expect(refused).toContain('policy turns off cloud backup');
      expect(refused).toBe(await add(key));
    });

    test('what the plan does not include', async () => {
      const { user, key, token } = await connected();
      await steno.users.setPlan(user.id, 'free');
      const refused = await use(token, 'transcribe_audio', audio);
      expect(refused).toContain('plan_required');
      expect(refused).toBe(await use(key, 'transcribe_audio', audio));
    });

    test('the requests of a minute, for all assistants together', async () => {
      const { key, token } = await connected();
      async function statuses(credential: string) {
        const found = [];
        for (let sent = 0; sent < perMinute + 2; sent += 1) {
          const { status, headers } = await post(credential, listTools);
          found.push([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]);
        }
        return found;
      }
      const found = await statuses(token);
      expect(found.map(([status]) => status).slice(-3)).toEqual([200, 429, 429]);
      expect(found).toEqual(await statuses(key));
    });

    test('the account is suspended: its assistants stop with the next call', async () => {
      const { user, token } = await connected();
      expect((await post(token, listTools)).status).toBe(200);
      await steno.store.people.setSuspended(user.id, new Date(now).toISOString());
      expect((await post(token, listTools)).status).toBe(401);
    });
  },
);
