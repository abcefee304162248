import { z } from 'zod';
import { id, timestamp } from './fields.ts';

export const space = z.object({
  id,
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  emoji: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Space = z.infer<typeof space>;

/** What an admin may change. The slug never changes, so links keep working. */
export type SpaceChanges = Partial<Pick<Space, 'name' | 'description' | 'emoji'>>;

/** Which spaces a change may reach. The operator needs no workspace, only the id of the space. */
export type SpaceReach =
  | { readonly kind: 'of workspace'; readonly workspaceId: string }
  | { readonly kind: 'of any workspace' };

export const spacesOf = (workspaceId: string): SpaceReach => ({ kind: 'of workspace', workspaceId });

export const maxSpaceNameLength = 100;
export const maxSpaceDescriptionLength = 500;
export const maxEmojiLength = 16;

/** `Ärzte & Büro` → `arzte-buro`; never empty. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'space' : slug;
}
