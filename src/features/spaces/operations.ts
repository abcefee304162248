import { notFound } from '../../domain/errors.ts';
import { wholeList } from '../../kernel/operation.ts';
import * as queries from './queries.ts';
import { space } from './schema.ts';

export const listSpaces = wholeList({
  http: 'GET /api/v1/spaces/list',
  tool: 'list_spaces',
  access: { credential: 'key', workspace: 'any content scope' },
  summary: 'List the spaces of the workspace that the key belongs to',
  items: space,
  async run({ db, who }) {
    if (who.kind !== 'workspace') throw notFound('Workspace');
    return queries.list(db, who.workspaceId);
  },
});
