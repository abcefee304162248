import { z } from 'zod';
import { AppError } from './errors.ts';
import { id, timestamp } from './fields.ts';
import { planNames } from './plans.ts';

export const user = z.object({
  id,
  email: z.string().nullable(),
  name: z.string(),
  plan: z.enum(planNames),
  created_at: timestamp,
});
export type User = z.infer<typeof user>;

export const maxUserNameLength = 100;

/** Addresses are compared in this form, so two accounts cannot differ only by a capital letter. */
export const normalizeEmail = (email: string) => email.trim().toLowerCase();

/** The name of a new user who gave none. */
export const nameFrom = (email: string) => email.slice(0, email.lastIndexOf('@'));

/** Raised by every way to sign in. */
export class AccountSuspended extends AppError {
  constructor() {
    super('forbidden', 'This account is suspended. Ask the operator of this server.');
  }
}
