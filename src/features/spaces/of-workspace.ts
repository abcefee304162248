import { command, reread, wholeList } from '../../kernel/operation.ts';
import * as acts from './acts.ts';
import * as queries from './queries.ts';
import { space, spaceChanges, spaceDraft } from './schema.ts';

/** Spaces as the members of their workspace see them, in the console. */
const access = { credential: 'session' } as const;

export const listWorkspaceSpaces = wholeList({
  http: 'GET /api/workspaces/:id/spaces',
  access,
  summary: 'List the spaces of a workspace (open to any member)',
  items: space,
  run: (context, { id }) => acts.listSpaces(context, id),
});

export const createSpace = command({
  http: 'POST /api/workspaces/:id/spaces',
  access,
  summary: 'Create a space in a workspace',
  body: spaceDraft,
  answer: [201, space],
  once: reread(({ db, who }, id) => queries.findShared(db, who.userId, id)),
  run: (context, { id, body }) => acts.createSpace(context, id, body),
});

export const updateSpace = command({
  http: 'PATCH /api/workspaces/:id/spaces/:space_id',
  access,
  summary: 'Change a space; fields that you leave out stay the same',
  body: spaceChanges,
  answer: space,
  run: (context, { id, space_id, body }) =>
    acts.updateSpace(context, { workspaceId: id, id: space_id }, body),
});

export const archiveSpace = command({
  http: 'POST /api/workspaces/:id/spaces/:space_id/archive',
  access,
  summary: 'Archive a space: it is hidden, and nothing is deleted',
  answer: 204,
  audit: ['space.archived'],
  run: (context, { id, space_id }) => acts.archiveSpace(context, { workspaceId: id, id: space_id }),
});
