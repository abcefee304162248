import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalid } from '../../domain/errors.ts';
import { parseWith } from '../../kernel/schemas.ts';
import { refuseOrSay, shownName } from '../../platform/http/strict.ts';
import { maxFieldBytes, maxOverheadBytes, maxParts } from '../../platform/http/upload.ts';
import { fileName, type RecordingDraft, recordingFields, withoutEnding } from './schema.ts';

/** An upload, as it arrives. A form may say what it is after the file, so `draft` is asked again at the end. */
export interface IncomingRecording {
  /** Of its bytes; null if the client did not say. */
  length: number | null;
  chunks: AsyncIterable<Uint8Array>;
  draft(): RecordingDraft;
}

interface Form {
  fields: Record<string, string>;
  fileName?: string;
}

/**
 * The file, as it arrives: as the body, or as the field `file` of a form. Nothing is read before its chunks are asked for.
 * Its chunks raise `validation_error` for a malformed form, and for an upload that ends too early.
 */
export function incomingRecording(reply: FastifyReply, query: RecordingDraft): IncomingRecording {
  const { request } = reply;
  const form: Form = { fields: {} };
  const chunks = request.isMultipart() ? fileOfForm(reply, form) : bodyOf(request);
  return {
    length: announcedLength(request),
    chunks: digested(request, chunks, form),
    draft: () => ({ name: form.fileName, ...query, ...parseWith(recordingFields, form.fields) }),
  };
}

/** So that a file that has no room is refused before its bytes come. Null for a body of unknown length. */
export function announcedLength(request: FastifyRequest): number | null {
  const { 'content-length': given } = request.headers;
  if (given === undefined) return null;
  const bytes = Math.min(Number(given), Number.MAX_SAFE_INTEGER);
  // Of a form, what is around the file is not kept.
  return request.isMultipart() ? Math.max(0, bytes - maxOverheadBytes) : bytes;
}

/** For an answer that was kept: only what the request is matters. */
export async function readAway(reply: FastifyReply): Promise<void> {
  for await (const _ of incomingRecording(reply, {}).chunks);
}

export async function* bodyOf({ raw }: FastifyRequest): AsyncGenerator<Uint8Array> {
  try {
    // A refused caller still gets an answer, which a destroyed stream could not carry.
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) yield chunk;
  } catch (cause) {
    throw cutOff(cause);
  } finally {
    raw.resume();
  }
}

async function* fileOfForm(reply: FastifyReply, form: Form): AsyncGenerator<Uint8Array> {
  const { request } = reply;
  let files = 0;
  try {
    const parts = request.parts({
      // The plan says how large it may be, and the service counts.
      limits: { fileSize: Number.POSITIVE_INFINITY, fieldSize: maxFieldBytes, parts: maxParts },
      isPartAFile: (fieldName) => fieldName === 'file',
    });
    for await (const part of parts) {
      if (part.type !== 'file') form.fields[part.fieldname] = String(part.value);
      else if (++files > 1) throw invalid('file must be sent once.');
      else {
        const { data: name } = fileName.safeParse(withoutEnding(part.filename ?? ''));
        if (name !== undefined) form.fileName = name;
        yield* part.file;
      }
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : cutOff(cause);
  } finally {
    request.raw.unpipe();
    request.raw.resume();
  }
  const unknown = Object.keys(form.fields).filter((name) => !Object.hasOwn(recordingFields.shape, name));
  refuseOrSay(reply, unknown.map(shownName));
  if (files === 0) throw invalid('file is required and must be a recording.');
}

async function* digested(
  request: FastifyRequest,
  chunks: AsyncIterable<Uint8Array>,
  form: Form,
): AsyncGenerator<Uint8Array> {
  if (request.headers['idempotency-key'] === undefined) {
    yield* chunks;
    return;
  }
  const digest = createHash('sha256');
  for await (const chunk of chunks) {
    digest.update(chunk);
    yield chunk;
  }
  request.uploadDigest = digest.update(JSON.stringify(form.fields)).digest('base64url');
}

const cutOff = (cause: unknown) =>
  invalid('The upload is malformed or ended too early. Send it again.', { cause });
