import { z } from 'zod';
import { timestamp } from './fields.ts';
import { user } from './user.ts';
import { workspace } from './workspace.ts';

/** An account as operators see it. Of what a person keeps, they see how much it is. */
export const person = user.extend({
  operator: z.boolean(),
  suspended_at: timestamp.nullable().describe('When the account was suspended; null if it works.'),
  last_used_at: timestamp
    .nullable()
    .describe('When a key or, to the day, a session was last used; null if never.'),
  storage_bytes: z.int().describe('Size of the audio of all recordings.'),
  sessions: z.int().describe('Where they are signed in.'),
  keys: z.int().describe('Keys that work.'),
});
export type Person = z.infer<typeof person>;

/** A workspace as operators see it. */
export const seenWorkspace = workspace.extend({ members: z.int(), spaces: z.int(), keys: z.int() });
export type SeenWorkspace = z.infer<typeof seenWorkspace>;
