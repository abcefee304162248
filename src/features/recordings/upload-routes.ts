import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { transcribeAccess } from '../../domain/access.ts';
import { dayMs } from '../../domain/rate-limit.ts';
import { recording } from '../../domain/recording.ts';
import { dataOf, noContent, pathId } from '../../kernel/schemas.ts';
import { principalOf } from '../../platform/http/request.ts';
import { acceptUploads } from '../../platform/http/upload.ts';
import { announcedLength, bodyOf } from './recording-upload.ts';
import {
  appendHeaders,
  bringsBytes,
  createHeaders,
  readMetadata,
  refuseOtherTus,
  stateHeaders,
  uploadsPath,
} from './tus.ts';
import { type Uploads, uploadDays } from './uploads.ts';

const tags = ['Recordings'];
const uploadState = z
  .object({
    id: z.string(),
    bytes: z.int().describe('What has arrived; the next request begins here.'),
    length: z.int().nullable(),
    state: recording.shape.state,
  })
  .meta({ id: 'Upload' });

interface Shown {
  bytes: number;
  length: number | null;
  updated_at: string;
}

function setHeaders(reply: FastifyReply, { bytes, length, updated_at }: Shown): void {
  reply.header('upload-offset', bytes);
  if (length === null) reply.header('upload-defer-length', '1');
  else reply.header('upload-length', length);
  reply.header('upload-expires', new Date(Date.parse(updated_at) + uploadDays * dayMs).toUTCString());
}

/** Uploads in several requests, by the protocol tus 1.0 (decision 101). */
export const uploadRoutes =
  (uploads: Uploads): FastifyPluginAsyncZod =>
  async (app) => {
    await acceptUploads(app);
    app.addHook('preValidation', refuseOtherTus);

    app.route({
      method: 'POST',
      url: '/recordings/uploads',
      config: {
        access: transcribeAccess,
        cost: 5,
        slowUpload: true,
        errors: ['quota_exceeded', 'conflict', 'not_found', 'precondition_failed'],
      },
      schema: {
        operationId: 'createUpload',
        summary: 'Begin an upload that can be resumed (tus 1.0)',
        tags,
        headers: createHeaders,
        response: { 201: dataOf(recording) },
      },
      handler: async (request, reply) => {
        const principal = principalOf(request);
        const { headers } = request;
        const draft = readMetadata(headers['upload-metadata']);
        const { 'upload-length': length = null } = headers;
        const coming = bringsBytes(request) ? announcedLength(request) : null;
        const made = await uploads.create(principal, { ...draft, length, coming });
        const shown = bringsBytes(request)
          ? await uploads.append(principal, made.id, { offset: 0, coming }, bodyOf(request))
          : { ...made, length };
        setHeaders(reply, shown);
        const { state, bytes } = shown;
        return reply
          .code(201)
          .header('location', `${uploadsPath}/${made.id}`)
          .send({ data: { ...made, state, bytes } });
      },
    });

    app.route({
      method: 'GET',
      url: '/recordings/uploads/:id',
      config: { access: transcribeAccess, errors: ['precondition_failed'] },
      schema: {
        operationId: 'getUpload',
        summary: 'See how much of an upload has arrived (tus 1.0; clients use HEAD)',
        tags,
        params: pathId,
        headers: stateHeaders,
        response: { 200: dataOf(uploadState) },
      },
      handler: async (request, reply) => {
        const state = await uploads.state(principalOf(request), request.params.id);
        setHeaders(reply, state);
        return { data: state };
      },
    });

    app.route({
      method: 'PATCH',
      url: '/recordings/uploads/:id',
      config: {
        access: transcribeAccess,
        slowUpload: true,
        errors: ['conflict', 'precondition_failed', 'unsupported_media_type'],
      },
      schema: {
        operationId: 'resumeUpload',
        summary: 'Go on with an upload (tus 1.0). When all has arrived, the recording is queued',
        tags,
        params: pathId,
        headers: appendHeaders,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        const { 'upload-offset': offset, 'upload-length': length } = request.headers;
        const at = { offset, length, coming: announcedLength(request) };
        const state = await uploads.append(principalOf(request), request.params.id, at, bodyOf(request));
        setHeaders(reply, state);
        return reply.code(204).send();
      },
    });

    app.route({
      method: 'DELETE',
      url: '/recordings/uploads/:id',
      config: {
        access: { credential: 'key', personal: 'transcriptions:write' },
        errors: ['precondition_failed'],
      },
      schema: {
        operationId: 'deleteUpload',
        summary: 'Give up an upload (tus 1.0)',
        tags,
        params: pathId,
        headers: stateHeaders,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await uploads.remove(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  };
