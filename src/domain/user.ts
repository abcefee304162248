import type { PlanName } from './plans.ts';

export const maxUserNameLength = 100;

/** Addresses are compared in this form: nobody has two accounts that differ by a capital letter. */
export const normalizeEmail = (email: string) => email.trim().toLowerCase();

export interface User {
  id: string;
  email: string | null;
  name: string;
  plan: PlanName;
  created_at: string;
}

/** What a person is called until they say otherwise. */
export const nameFrom = (email: string) => email.slice(0, email.lastIndexOf('@'));
