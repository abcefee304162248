import { z } from 'zod';
import { folder, maxFolderNameLength } from '../../domain/folder.ts';
import { laterThan } from '../../domain/note.ts';
import { reachOf } from '../../domain/owner.ts';
import { authorize, type Reach } from '../../kernel/authorized.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { command, reread, stream, wholeList } from '../../kernel/operation.ts';
import { label, optionalBody, spaceId } from '../../kernel/schemas.ts';
import { sameTextKey } from '../../lib/text.ts';
import { moveToTrash } from '../notes/queries.ts';
import { ownerOf } from '../workspaces/access.ts';
import { addFolder, nameTaken } from './add.ts';
import * as queries from './queries.ts';

const shownFolder = folder.meta({ id: 'Folder' });
const read = { credential: 'key', personal: 'notes:read', workspace: 'workspace:folders:read' } as const;
const write = { credential: 'key', personal: 'notes:write', workspace: 'workspace:folders:write' } as const;
const extension = 'An extension of this server.';

const find = ({ db, who }: Reach, id: string) => queries.find(db, reachOf(who), id);
/** A folder within the caller's reach. */
const reached = authorize('Folder', find);

export const listFolders = wholeList({
  http: 'GET /api/v1/folders/list',
  tool: 'list_folders',
  access: read,
  summary: 'List all folders',
  query: z.object({ space_id: spaceId }),
  items: shownFolder,
  errors: ['not_found'],
  async run(context, { query }) {
    const { ownerId } = await ownerOf(context, query.space_id);
    return queries.list(context.db, ownerId);
  },
});

export const createFolder = command({
  http: 'POST /api/v1/folders/create',
  tool: 'create_folder',
  access: write,
  summary: 'Create a folder',
  body: z.object({
    name: label(maxFolderNameLength),
    sort_order: z.int32().optional().describe('If left out, the folder comes last.'),
    space_id: spaceId,
  }),
  answer: [201, shownFolder],
  errors: ['not_found', 'conflict', 'limit_reached'],
  once: reread(find),
  async run(context, { body: { name, sort_order = null, space_id } }) {
    const { now, newId } = context;
    const { ownerId: owner_id, spaceId } = await ownerOf(context, space_id);
    const times = { created_at: now, updated_at: now };
    return addFolder(context, {
      ...{ id: newId(), owner_id, space_id: spaceId, name, sort_order, is_default: false },
      ...times,
    });
  },
});

export const updateFolder = command({
  http: 'PATCH /api/v1/folders/:id',
  tool: 'update_folder',
  access: write,
  summary: 'Change a folder; fields that you leave out stay the same',
  description: extension,
  body: optionalBody(z.object({ name: label(maxFolderNameLength), sort_order: z.int32() }).exactPartial()),
  answer: shownFolder,
  errors: ['conflict'],
  async run(context, { id, body }) {
    const { tx, now } = context;
    const found = await reached(context, id);
    if (Object.keys(body).length === 0) return found;
    const named = body.name === undefined ? {} : { name_key: sameTextKey(body.name) };
    const others = (await queries.siblings(tx, found.owner_id)).filter((other) => other.id !== id);
    if (others.some(({ name_key }) => name_key === named.name_key)) throw nameTaken();
    return queries.update(tx, found, { ...body, ...named, updated_at: laterThan(found.updated_at, now) });
  },
});

/** A folder with more notes is emptied in several transactions, so that no other write waits long. */
const notesPerWrite = 500;

/** Returns whether the folder is gone; otherwise it has more notes. */
async function empty(context: CommandContext, id: string, notes: 'keep' | 'trash'): Promise<boolean> {
  const { database, tx, now } = context;
  const found = await reached(context, id);
  const inside = await queries.notesIn(tx, found, notesPerWrite);
  if (notes === 'keep')
    for (const note of inside) await queries.takeOut(tx, note, laterThan(note.updated_at, now));
  else
    await moveToTrash(
      database,
      tx,
      inside.map(({ seq }) => seq),
      now,
    );
  if (inside.length === notesPerWrite) return false;
  await queries.remove(tx, found);
  return true;
}

export const deleteFolder = stream({
  http: 'DELETE /api/v1/folders/:id',
  tool: 'delete_folder',
  access: write,
  summary: 'Delete a folder; its notes stay, without a folder, or go to the trash',
  description: extension,
  query: z.object({
    notes: z
      .enum(['keep', 'trash'])
      .default('keep')
      .describe('What happens to its notes: `keep` them without a folder, or move them to the `trash`.'),
  }),
  answer: 204,
  async run({ act }, { id, query }) {
    while (!(await act((context) => empty(context, id, query.notes))));
  },
});
