import { Readable } from 'node:stream';
import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { type Access, transcribeAccess } from '../../domain/access.ts';
import { AppError } from '../../domain/errors.ts';
import {
  listedRecording,
  maxRecordingNameLength,
  recording,
  recordingSettings,
} from '../../domain/recording.ts';
import { maxSaidLength } from '../../domain/said.ts';
import { cursor, dataOf, idInput, label, limit, noContent, pageOf, pathId } from '../../kernel/schemas.ts';
import { isKnown, notModified } from '../../platform/http/etag.ts';
import { once } from '../../platform/http/idempotency.ts';
import { readRange } from '../../platform/http/range.ts';
import { principalOf } from '../../platform/http/request.ts';
import { acceptUploads } from '../../platform/http/upload.ts';
import { digestRecording, incomingRecording, recordingFields, recordingForm } from './recording-upload.ts';
import type { Recordings } from './recordings.ts';

const shownRecording = recording.meta({ id: 'Recording' });
const shownListedRecording = listedRecording.meta({ id: 'ListedRecording' });
const shownRecordingWithTranscript = recording
  .extend({
    transcript: z
      .string()
      .nullable()
      .optional()
      .describe('Only with `include=transcript`: what was said. Null until the state is `done`.'),
  })
  .meta({ id: 'RecordingWithTranscript' });
const shownSettings = recordingSettings.meta({ id: 'RecordingSettings' });
const tags = ['Recordings'];
const read: Access = {
  credential: 'key',
  personal: 'transcriptions:read',
  workspace: 'workspace:transcriptions:read',
};
const own: Access = { credential: 'key', personal: 'transcriptions:read' };
const write: Access = { credential: 'key', personal: 'transcriptions:write' };

/** Where files arrive: here a body is read when the handler asks for it. */
export const recordingUploadRoutes =
  (recordings: Recordings): FastifyPluginAsyncZod =>
  async (app) => {
    await acceptUploads(app);

    app.route({
      method: 'POST',
      url: '/recordings',
      config: {
        idempotent: true,
        access: transcribeAccess,
        cost: 5,
        slowUpload: true,
        multipart: recordingForm,
        rawUpload: true,
        digestBody: digestRecording,
        errors: ['quota_exceeded', 'not_found'],
      },
      schema: {
        operationId: 'uploadRecording',
        summary: 'Upload a recording of any length, as the body or as a form; it is transcribed afterwards',
        tags,
        querystring: recordingFields,
        response: { 201: dataOf(shownRecording) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await once(
            request,
            (as) => recordings.upload(as, incomingRecording(reply, request.query)),
            recordings.get,
          ),
        }),
    });
  };

export const recordingRoutes =
  (recordings: Recordings): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/recordings',
      config: { access: read, tool: 'list_recordings' },
      schema: {
        operationId: 'listRecordings',
        summary: 'List recordings, newest first',
        tags,
        querystring: z.object({
          limit: limit(100, 50),
          cursor,
          note_id: idInput
            .optional()
            .describe(
              'Those of this note, for everybody who may read it. Without it: your own. Required with a workspace key.',
            ),
          include: z
            .literal('words')
            .optional()
            .describe('Adds how many words each has, and how they begin.'),
          q: label(maxSaidLength)
            .optional()
            .describe(
              'Only those in whose name or words each of these words is. An extension of this server. Each request looks through a part of the list, so a page may have fewer items than `limit`, or none, and a `next_cursor`.',
            ),
        }),
        response: { 200: pageOf(shownListedRecording) },
      },
      handler: (request) => recordings.list(principalOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/recordings/settings',
      config: { access: own },
      schema: {
        operationId: 'getRecordingSettings',
        summary: 'Get whether the audio of your recordings is kept',
        tags,
        response: { 200: dataOf(shownSettings) },
      },
      handler: async (request) => ({ data: await recordings.settings(principalOf(request)) }),
    });

    app.route({
      method: 'PATCH',
      url: '/recordings/settings',
      config: { access: write },
      schema: {
        operationId: 'updateRecordingSettings',
        summary: 'Set whether the audio of your new recordings is kept, unless the upload says',
        tags,
        body: z.object({ keep_audio: z.boolean() }),
        response: { 200: dataOf(shownSettings) },
      },
      handler: async (request) => ({
        data: await recordings.changeSettings(principalOf(request), request.body),
      }),
    });

    app.route({
      method: 'GET',
      url: '/recordings/:id',
      config: { access: read, etag: 'content', tool: 'get_recording' },
      schema: {
        operationId: 'getRecording',
        summary: 'Get a recording: its state, and its words if you ask for them',
        tags,
        params: pathId,
        querystring: z.object({ include: z.literal('transcript').optional() }),
        response: { 200: dataOf(shownRecordingWithTranscript) },
      },
      handler: async (request) => ({
        data: await recordings[request.query.include === 'transcript' ? 'getWithTranscript' : 'get'](
          principalOf(request),
          request.params.id,
        ),
      }),
    });

    app.route({
      method: 'PATCH',
      url: '/recordings/:id',
      config: { access: write, errors: ['conflict'] },
      schema: {
        operationId: 'updateRecording',
        summary: 'Rename a recording, or say whether its audio is kept',
        tags,
        params: pathId,
        body: z
          .object({
            name: label(maxRecordingNameLength).exactOptional(),
            keep_audio: z.boolean().exactOptional(),
          })
          .refine(({ name, keep_audio }) => name !== undefined || keep_audio !== undefined, {
            message: 'must have name, keep_audio or both',
          }),
        response: { 200: dataOf(shownRecording) },
      },
      handler: async (request) => ({
        data: await recordings.update(principalOf(request), request.params.id, request.body),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/recordings/:id',
      config: { access: { credential: 'key', personal: 'transcriptions:delete' } },
      schema: {
        operationId: 'deleteRecording',
        summary: 'Delete a recording with its audio; its transcription stays unless you ask',
        tags,
        params: pathId,
        querystring: z.object({
          with_transcription: z
            .enum(['true', 'false'])
            .default('false')
            .describe('`true` deletes its transcription as well.'),
        }),
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await recordings.remove(principalOf(request), request.params.id, {
          withTranscription: request.query.with_transcription === 'true',
        });
        return reply.code(204).send();
      },
    });

    app.route({
      method: 'POST',
      url: '/recordings/:id/retry',
      config: { access: transcribeAccess, errors: ['conflict'] },
      schema: {
        operationId: 'retryRecording',
        summary: 'Transcribe a failed recording again, from where it failed',
        tags,
        params: pathId,
        response: { 200: dataOf(shownRecording) },
      },
      handler: async (request) => ({ data: await recordings.retry(principalOf(request), request.params.id) }),
    });

    app.route({
      method: 'GET',
      url: '/recordings/:id/waveform',
      config: { access: read, etag: 'content' },
      schema: {
        operationId: 'getRecordingWaveform',
        summary: 'Get how loud a recording is from beginning to end, to draw it',
        tags,
        params: pathId,
        response: {
          200: dataOf(
            z.object({
              peaks: z
                .array(z.int().min(0).max(255))
                .describe(
                  'At most 1,000 parts of equal length, each from 0 to 255; none if it cannot be decoded.',
                ),
            }),
          ),
        },
      },
      handler: async (request) => ({
        data: await recordings.waveform(principalOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'GET',
      url: '/recordings/:id/audio',
      config: { access: read, audio: true, etag: 'sources', errors: ['range_not_satisfiable'] },
      schema: {
        operationId: 'getRecordingAudio',
        summary: 'Get the audio of a recording, or a range of it: your own, or of a note in your space',
        tags,
        params: pathId,
        response: { 200: z.string(), 206: z.string(), 304: notModified },
      },
      handler: async (request, reply) => {
        const range = readRange(request.headers.range);
        const audio = await recordings.audio(principalOf(request), request.params.id, range);
        const { start, end, bytes, media_type } = audio;
        if (range && start >= end) {
          reply.header('content-range', `bytes */${bytes}`);
          throw new AppError('range_not_satisfiable', `Range must begin before byte ${bytes}.`);
        }
        // The browser keeps it and asks each time, so it shows nothing once the person has signed out.
        const etag = `"${request.params.id}-${bytes}"`;
        reply.header('etag', etag).header('cache-control', 'private, no-cache');
        if (isKnown(reply, etag)) return reply.code(304).send();
        reply
          .code(range ? 206 : 200)
          .type(media_type)
          .header('accept-ranges', 'bytes')
          .header('content-length', end - start);
        if (range) reply.header('content-range', `bytes ${start}-${end - 1}/${bytes}`);
        // Fastify reads a stream to its end before it answers HEAD; one chunk shows that the file is there.
        if (request.method === 'HEAD') for await (const _ of audio.chunks()) break;
        const chunks = request.method === 'HEAD' ? [] : audio.chunks();
        // A stream is sent as it is; a schema cannot describe one.
        return reply.send(Readable.from(chunks, { objectMode: false }) as unknown as string);
      },
    });
  };
