import { randomUUID } from 'node:crypto';
import { check, expectAnswer, expectError, expectInvalid, expectSame, type Part } from './check.ts';
import { record, text } from './rules.ts';

/** A reserved domain: no mail to it arrives anywhere. */
const newAddress = () => `conformance-${randomUUID()}@example.com`;

export const agents: Part = {
  name: 'Agent set-up',
  checks: [
    check(
      'POST /auth/email-code: 200 { message }; one code a minute per address',
      [],
      async ({ anonymous }) => {
        const body = { email: newAddress() };
        const ask = (waits: boolean) => anonymous.call('POST', '/auth/email-code', { body, waits });
        expectAnswer(await ask(true), 200, record({ message: text }));
        expectError(await ask(false), 429, 'rate_limited');
      },
    ),
    check('A body without an address is 400', [], async ({ anonymous }) => {
      const wrong = [{}, { email: 7 }, { email: 'no address' }];
      await expectInvalid(anonymous, 'POST', '/auth/email-code', wrong);
      await expectInvalid(anonymous, 'POST', '/auth/email-code/verify', [{}, { email: 'a@example.com' }]);
    }),
    check(
      'Wrong: 401 invalid_code; the fifth wrong try: 429 too_many_attempts',
      [],
      async ({ anonymous }) => {
        const email = newAddress();
        expectAnswer(await anonymous.call('POST', '/auth/email-code', { body: { email } }), 200);
        const codes: string[] = [];
        for (let attempt = 0; attempt < 5; attempt += 1) {
          const body = { email, code: `00000${attempt}` };
          const answer = await anonymous.call('POST', '/auth/email-code/verify', { body });
          codes.push(answer.body?.error?.code);
        }
        const wrong = 'invalid_code';
        expectSame(codes, [wrong, wrong, wrong, wrong, 'too_many_attempts'], 'codes of five wrong tries');
      },
    ),
  ],
  unseen: [
    { sentence: '200 { data: { token, expires_at } }', why: 'the code is in a mailbox' },
    { sentence: 'A code works once, for 10 minutes', why: 'the code is in a mailbox' },
    {
      sentence: 'Agent session tokens (owt_) are accepted by the key routes',
      why: 'the code is in a mailbox',
    },
    {
      sentence: '5 an hour per address, 10 an hour per client address',
      why: 'it would lock others out for an hour',
    },
    {
      sentence: 'The same answer for known and unknown addresses',
      why: 'would mail a code to a real person',
    },
  ],
};
