import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { note } from '../../domain/note.ts';
import { listedRevision, revision } from '../../domain/revision.ts';
import { dataOf, pageOf, pathId, whole } from '../../kernel/schemas.ts';
import type { Revisions } from '../../services/revisions.ts';
import { principalOf } from '../request.ts';

const shownNote = note.meta({ id: 'Note' });
const shownListedRevision = listedRevision.meta({ id: 'ListedRevision' });
const shownRevision = revision.meta({ id: 'Revision' });

const read = { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' } as const;
const write = { credential: 'key', personal: 'notes:write', workspace: 'workspace:notes:write' } as const;
const description =
  'An extension of this server. A text is kept when another session replaces it, and when a third of it goes at once.';
const params = pathId.extend({ revision_id: z.string().toLowerCase() });

export const revisionRoutes =
  (revisions: Revisions): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/notes/:id/revisions',
      config: { access: read, tool: 'list_note_revisions' },
      schema: {
        operationId: 'listRevisions',
        summary: 'List the earlier texts of a note, the last replaced first',
        description,
        tags: ['Revisions'],
        params: pathId,
        response: { 200: pageOf(shownListedRevision) },
      },
      handler: async (request) => ({
        ...whole,
        data: await revisions.list(principalOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'GET',
      url: '/notes/:id/revisions/:revision_id',
      config: { access: read },
      schema: {
        operationId: 'getRevision',
        summary: 'Get an earlier text of a note',
        description,
        tags: ['Revisions'],
        params,
        response: { 200: dataOf(shownRevision) },
      },
      handler: async (request) => ({
        data: await revisions.get(principalOf(request), request.params.id, request.params.revision_id),
      }),
    });

    app.route({
      method: 'POST',
      url: '/notes/:id/revisions/:revision_id/restore',
      config: { access: write, tool: 'restore_note_revision' },
      schema: {
        operationId: 'restoreRevision',
        summary: 'Restore an earlier text of a note; the current one becomes a revision',
        description,
        tags: ['Revisions'],
        params,
        response: { 200: dataOf(shownNote) },
      },
      handler: async (request) => ({
        data: await revisions.restore(principalOf(request), request.params.id, request.params.revision_id),
      }),
    });
  };
