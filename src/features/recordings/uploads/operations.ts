import { z } from 'zod';
import { transcribeAccess } from '../../../domain/access.ts';
import { dayMs } from '../../../domain/rate-limit.ts';
import { recording } from '../../../domain/recording.ts';
import { Answered } from '../../../kernel/context.ts';
import { stream } from '../../../kernel/operation.ts';
import { announcedLength, bodyOf } from '../incoming.ts';
import {
  acceptTus,
  appendHeaders,
  bringsBytes,
  createHeaders,
  readMetadata,
  stateHeaders,
  uploadsPath,
} from './tus.ts';
import * as uploads from './uploads.ts';

// Uploads in several requests, by the protocol tus 1.0 (decision 101).

const shownUpload = z
  .object({
    id: z.string(),
    bytes: z.int().describe('What has arrived; the next request begins here.'),
    length: z.int().nullable(),
    state: recording.shape.state,
  })
  .meta({ id: 'Upload' });

interface Progress {
  bytes: number;
  upload_length: number | null;
  updated_at: string;
}

const headersOf = ({ bytes, upload_length: length, updated_at }: Progress): Record<string, string> => ({
  'upload-offset': String(bytes),
  ...(length === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(length) }),
  'upload-expires': new Date(Date.parse(updated_at) + uploads.uploadDays * dayMs).toUTCString(),
});

export const createUpload = stream({
  http: 'POST /api/v1/recordings/uploads',
  access: transcribeAccess,
  cost: 5,
  summary: 'Begin an upload that can be resumed (tus 1.0)',
  accepts: acceptTus,
  wire: { slowUpload: true },
  headers: createHeaders,
  answer: [201, recording],
  errors: ['quota_exceeded', 'conflict', 'not_found', 'precondition_failed'],
  async run(context, { headers }) {
    const { request, parts } = context;
    const recorder = parts.recorder();
    const draft = readMetadata(headers['upload-metadata']);
    const { 'upload-length': length = null } = headers;
    const coming = bringsBytes(request) ? announcedLength(request) : null;
    const made = await uploads.create(recorder, context, draft, { length, coming });
    const now = bringsBytes(request)
      ? await uploads.append(recorder, context, made.id, { offset: 0, length: null, coming }, bodyOf(request))
      : { ...made, upload_length: length };
    const { state, bytes } = now;
    const location = `${uploadsPath}/${made.id}`;
    return new Answered({ ...made, state, bytes }, { headers: { ...headersOf(now), location } });
  },
});

export const getUpload = stream({
  http: 'GET /api/v1/recordings/uploads/:id',
  access: transcribeAccess,
  summary: 'See how much of an upload has arrived (tus 1.0; clients use HEAD)',
  accepts: acceptTus,
  headers: stateHeaders,
  answer: shownUpload,
  errors: ['precondition_failed'],
  async run(context, { id }) {
    const found = await uploads.stateOf(context.parts.recorder(), context, id);
    const { bytes, upload_length: length, state } = found;
    return new Answered({ id: found.id, bytes, length, state }, { headers: headersOf(found) });
  },
});

export const resumeUpload = stream({
  http: 'PATCH /api/v1/recordings/uploads/:id',
  access: transcribeAccess,
  summary: 'Go on with an upload (tus 1.0). When all has arrived, the recording is queued',
  accepts: acceptTus,
  wire: { slowUpload: true },
  headers: appendHeaders,
  answer: 204,
  errors: ['conflict', 'precondition_failed', 'unsupported_media_type'],
  async run(context, { id, headers: { 'upload-offset': offset, 'upload-length': length = null } }) {
    const { request, parts } = context;
    const announced = { offset, length, coming: announcedLength(request) };
    const now = await uploads.append(parts.recorder(), context, id, announced, bodyOf(request));
    return new Answered(undefined, { headers: headersOf(now) });
  },
});

export const deleteUpload = stream({
  http: 'DELETE /api/v1/recordings/uploads/:id',
  access: { credential: 'key', personal: 'transcriptions:write' },
  summary: 'Give up an upload (tus 1.0)',
  accepts: acceptTus,
  headers: stateHeaders,
  answer: 204,
  errors: ['precondition_failed'],
  run: (context, { id }) => uploads.remove(context.parts.recorder(), context, id),
});
