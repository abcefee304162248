import { z } from 'zod';
import { id, timestamp } from './fields.ts';
import { planNames } from './plans.ts';

/** An account. */
export const user = z.object({
  id,
  email: z.string().nullable(),
  name: z.string(),
  plan: z.enum(planNames),
  created_at: timestamp,
});
export type User = z.infer<typeof user>;

export const maxUserNameLength = 100;

/** Addresses are compared in this form: nobody has two accounts that differ by a capital letter. */
export const normalizeEmail = (email: string) => email.trim().toLowerCase();

/** What a person is called until they say otherwise. */
export const nameFrom = (email: string) => email.slice(0, email.lastIndexOf('@'));
