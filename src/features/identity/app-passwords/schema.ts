import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { hashSecret } from '../../../domain/api-key.ts';
import { id, timestamp } from '../../../domain/fields.ts';

/** For an app that only knows an e-mail address and a password, as its owner sees it. */
export const appPassword = z.object({
  id,
  name: z.string(),
  created_at: timestamp,
  used_at: timestamp.nullable().describe('When an app last signed in with it.'),
});
export type AppPassword = z.infer<typeof appPassword>;

export interface StoredAppPassword extends AppPassword {
  user_id: string;
  password_hash: string;
}

export const maxAppPasswords = 20;
export const maxAppPasswordNameLength = 100;

/** Without letters that look like others, because people type it on phones (Crockford's Base32). */
const letters = '0123456789abcdefghjkmnpqrstvwxyz';
const [groups, groupLength] = [7, 4];

const newGroup = () =>
  Array.from({ length: groupLength }, () => letters.charAt(randomInt(letters.length))).join('');

/** 140 random bits, as `7k2m-…`: they cannot be guessed, so a fast hash is enough, and it is found by that hash. */
export function newAppPassword(): { password: string; password_hash: string } {
  const password = Array.from({ length: groups }, newGroup).join('-');
  return { password, password_hash: hashAppPassword(password) };
}

/** However it was typed: capitals, spaces, and letters that Base32 takes for digits. */
export const hashAppPassword = (typed: string) =>
  hashSecret(
    typed
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '')
      .replaceAll('o', '0')
      .replaceAll(/[il]/g, '1'),
  );
