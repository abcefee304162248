import { z } from 'zod';
import { id, idInput, label, timestamp } from '../../kernel/schemas.ts';

export const maxTagNameLength = 100;
export const maxTagsPerNote = 50;
export const maxTagsPerOwner = 2_000;

/** A tag as its notes show it, in the order of the names. */
export const noteTag = z.object({ id, name: z.string() });
export type NoteTag = z.infer<typeof noteTag>;

/** Names are unique per person or space, compared by `sameTextKey`. */
export const tag = z.object({
  ...noteTag.shape,
  space_id: id.nullable(),
  note_count: z.int().describe('How many notes have it. Those in the trash do not count.'),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Tag = z.infer<typeof tag>;
export const tagName = label(maxTagNameLength);

const extension = 'An extension of this server.';
const names = z.array(tagName).max(maxTagsPerNote);
const ids = z.array(idInput).max(maxTagsPerNote);
/** The fields of a note's draft or change that say its tags. */
export const tagFields = {
  tags: names
    .exactOptional()
    .describe(`The names of its tags, all of them; an unknown name becomes a tag. ${extension}`),
  tag_ids: ids.exactOptional().describe(`The same by the ids of tags. ${extension}`),
};
/** For many notes, whose other tags mostly stay. */
export const tagFieldsOfMany = {
  ...tagFields,
  add_tags: names
    .min(1)
    .exactOptional()
    .describe('Names of tags that the notes get besides the ones they have.'),
  remove_tags: names.min(1).exactOptional().describe('Names of tags that are taken from the notes.'),
};

/** Tags by their names, or by their ids. */
export type NamedTags = { readonly names: readonly string[] } | { readonly ids: readonly string[] };
/** How many notes get tags: these and no others, these too, or these no more. */
export type ChangeOfTags = NamedTags & { readonly how: 'set' | 'add' | 'remove' };

interface Given {
  tags?: readonly string[] | undefined;
  tag_ids?: readonly string[] | undefined;
}
export const namesTagsOnce = ({ tags, tag_ids }: Given) => tags === undefined || tag_ids === undefined;
export const tagsTwice = { path: ['tag_ids'], message: 'must be left out when there are tags' };

interface GivenForMany extends Given {
  add_tags?: readonly string[] | undefined;
  remove_tags?: readonly string[] | undefined;
}
export const changesOfTags = ({ tags, tag_ids, add_tags, remove_tags }: GivenForMany): ChangeOfTags[] => [
  ...(tags ? [{ how: 'set', names: tags } as const] : []),
  ...(tag_ids ? [{ how: 'set', ids: tag_ids } as const] : []),
  ...(add_tags ? [{ how: 'add', names: add_tags } as const] : []),
  ...(remove_tags ? [{ how: 'remove', names: remove_tags } as const] : []),
];

/** Undefined if the draft or change says nothing of tags. */
export function namedTags({ tags, tag_ids }: Given): NamedTags | undefined {
  if (tags) return { names: tags };
  return tag_ids && { ids: tag_ids };
}
