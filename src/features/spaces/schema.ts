import { z } from 'zod';
import { id, timestamp } from '../../kernel/schemas.ts';

export const space = z
  .object({
    id,
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    emoji: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Space' });
export type Space = z.infer<typeof space>;

export const maxSpaceNameLength = 100;
export const maxSpaceDescriptionLength = 500;
export const maxEmojiLength = 16;

const written = z.object({
  name: z.string().trim().min(1).max(maxSpaceNameLength),
  description: z.string().max(maxSpaceDescriptionLength).nullable(),
  emoji: z.string().max(maxEmojiLength).nullable(),
});
export const spaceDraft = written.partial({ description: true, emoji: true });
export type SpaceDraft = z.infer<typeof spaceDraft>;

/** The slug never changes, so links keep working. */
export const spaceChanges = written.exactPartial();
export type SpaceChanges = z.infer<typeof spaceChanges>;

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
