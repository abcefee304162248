import { z } from 'zod';
import { conflict, invalid } from '../../domain/errors.ts';
import { laterThan } from '../../domain/note.ts';
import { reachOf } from '../../domain/owner.ts';
import { type Authorized, authorize, type Reach } from '../../kernel/authorized.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { command, reread, wholeList } from '../../kernel/operation.ts';
import { idInput, spaceId } from '../../kernel/schemas.ts';
import { ownerOf } from '../workspaces/access.ts';
import * as queries from './queries.ts';
import { type NoteTag, type Tag, tag, tagName } from './schema.ts';
import { makeTags, retag, unknownTag } from './tagging.ts';

const shownTag = tag.meta({ id: 'Tag' });
const read = { credential: 'key', personal: 'notes:read', workspace: 'workspace:folders:read' } as const;
const write = { credential: 'key', personal: 'notes:write', workspace: 'workspace:folders:write' } as const;
const description = 'An extension of this server.';

const find = ({ db, who }: Reach, id: string) => queries.find(db, reachOf(who), id);
/** A tag within the caller's reach. */
const reached = authorize('Tag', find);
/** The same, locked before its notes are. */
const locked = authorize('Tag', async ({ database, tx, who }: CommandContext, id: string) => {
  const [found] = await queries.lock(database, tx, reachOf(who), [id]);
  return found;
});

const nameTaken = () => conflict('A tag with this name already exists; merge the two.');

export const listTags = wholeList({
  http: 'GET /api/v1/tags/list',
  tool: 'list_tags',
  access: read,
  summary: 'List all tags by their names, each with how many notes have it',
  description,
  query: z.object({ space_id: spaceId }),
  items: shownTag,
  errors: ['not_found'],
  async run(context, { query }) {
    const { ownerId } = await ownerOf(context, query.space_id);
    return queries.list(context.db, ownerId);
  },
});

export const createTag = command({
  http: 'POST /api/v1/tags/create',
  tool: 'create_tag',
  access: write,
  summary: 'Create a tag; a note that names an unknown tag creates it too',
  description,
  body: z.object({ name: tagName, space_id: spaceId }),
  answer: [201, shownTag],
  errors: ['not_found', 'conflict', 'limit_reached'],
  once: reread(find),
  async run(context, { body }) {
    const { ownerId: owner_id, spaceId: space_id } = await ownerOf(context, body.space_id);
    const [made] = await makeTags(context, { owner_id, space_id, at: context.now }, [body.name]);
    if (!made) throw nameTaken();
    return reached(context, made.id);
  },
});

/** Changes the tags of all its notes, also of those in the trash. */
async function onNotes(
  { database, tx, now }: CommandContext,
  found: Authorized<queries.LockedTag>,
  change: (tags: readonly NoteTag[]) => readonly NoteTag[],
): Promise<void> {
  await retag(tx, await queries.notesOf(database, tx, found), change, now);
}

export const updateTag = command({
  http: 'PATCH /api/v1/tags/:id',
  tool: 'update_tag',
  access: write,
  summary: 'Rename a tag; its notes have the new name',
  description,
  body: z.object({ name: tagName }),
  answer: shownTag,
  errors: ['conflict'],
  locks: true,
  async run(context, { id, body: { name } }): Promise<Tag> {
    const { tx, now } = context;
    const found = await locked(context, id);
    if (found.name === name) return reached(context, id);
    const same = await queries.withName(tx, found.owner_id, name);
    if (same && same.id !== id) throw nameTaken();
    await queries.rename(tx, found, name, laterThan(found.updated_at, now));
    await onNotes(context, found, (tags) => tags.map((one) => (one.id === id ? { id, name } : one)));
    return reached(context, id);
  },
});

export const mergeTag = command({
  http: 'POST /api/v1/tags/:id/merge',
  tool: 'merge_tags',
  access: write,
  summary: 'Merge a tag into another one: its notes get the other one, and it is gone',
  description,
  body: z.object({ into: idInput.describe('The tag that stays.') }),
  answer: shownTag,
  errors: ['conflict'],
  once: reread(find),
  locks: true,
  async run(context, { id, body: { into } }): Promise<Tag> {
    const { database, tx, who } = context;
    if (into === id) throw invalid('into must be the id of another tag.');
    // Both at once, in the order in which notes lock their tags too.
    const both = await queries.lock(database, tx, reachOf(who), [id, into]);
    const found = await locked(context, id);
    const other = both.find((one) => one.id === into && one.owner_id === found.owner_id);
    if (!other) throw unknownTag('into must be the id of a tag of the same place.');
    const instead = { id: into, name: other.name };
    await onNotes(context, found, (tags) => [
      ...tags.filter((one) => one.id !== id && one.id !== into),
      ...(tags.some((one) => one.id === id || one.id === into) ? [instead] : []),
    ]);
    await queries.remove(tx, found);
    return reached(context, into);
  },
});

export const deleteTag = command({
  http: 'DELETE /api/v1/tags/:id',
  tool: 'delete_tag',
  access: write,
  summary: 'Delete a tag; its notes stay, without it',
  description,
  answer: 204,
  locks: true,
  async run(context, { id }) {
    const found = await locked(context, id);
    await onNotes(context, found, (tags) => tags.filter((one) => one.id !== id));
    await queries.remove(context.tx, found);
  },
});
