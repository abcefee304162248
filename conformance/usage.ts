import { check, expect, expectAnswer, expectSame, type Part } from './check.ts';
import { dataOf, usage as usageShape } from './shapes.ts';

export const usage: Part = {
  name: 'Usage',
  checks: [
    check('GET /usage: usage statistics and plan details', ['usage:read'], async ({ api, plan }) => {
      const { data } = expectAnswer(await api.call('GET', '/usage'), 200, dataOf(usageShape)).body;
      expectSame(data.plan, plan, 'plan');
    }),
    check('Unlimited is -1 in limit and words_remaining', ['usage:read'], async ({ api }) => {
      const { data } = (await api.call('GET', '/usage')).body;
      if (data.limit === -1) expectSame(data.words_remaining, -1, 'words_remaining');
      else expectSame(data.words_remaining, Math.max(0, data.limit - data.words_used), 'words_remaining');
    }),
    check('The quota resets on the first day of the next month', ['usage:read'], async ({ api }) => {
      const { data } = (await api.call('GET', '/usage')).body;
      expect(/^\d{4}-\d\d-01T00:00:00\.000Z$/.test(data.audio_resets_at), `${data.audio_resets_at}`);
      expect(Date.parse(data.audio_resets_at) > Date.now(), 'it lies in the past');
    }),
  ],
  unseen: [
    {
      sentence: 'Free: 2,000 words in a rolling week',
      why: 'needs a week; an operator may change the number',
    },
    { sentence: '600 audio minutes per calendar month', why: 'an operator may change the number' },
  ],
};
