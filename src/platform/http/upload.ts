import { createHash } from 'node:crypto';
import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { acceptedAudio, maxUploadBytes, sizeInWords } from '../../domain/audio.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import { languageForm, maxPromptLength, maxSpeakers } from '../../domain/transcription.ts';
import { parseWith } from '../../kernel/schemas.ts';
import { collectGarbage } from '../../lib/collect-garbage.ts';
import { characterCount, isStorableText } from '../../lib/text.ts';
import { acceptAnyBody } from './spool.ts';
import { refuseOrSay, shownName } from './strict.ts';

/** Room for boundaries, headers and other fields, in addition to the file. */
export const maxOverheadBytes = 1_048_576;
/** From here on it is worth to look for garbage. */
const largeBytes = 1_048_576;
export const maxParts = 50;
export const maxFieldBytes = 65_536;

// A form sends an empty string for an empty field.
const isSpeakerCount = (digits: string) =>
  digits === '' || (/^\d{1,3}$/.test(digits) && Number(digits) >= 1 && Number(digits) <= maxSpeakers);
export const orAbsent = (text: string) => (text === '' ? undefined : text);
const isAuto = (code: string) => code.toLowerCase() === 'auto';
export const languageField = z
  .string()
  .trim()
  .transform((code) => (isAuto(code) ? undefined : orAbsent(code)))
  .refine((code) => code === undefined || languageForm.test(code), 'must be a code like en or en-US, or auto')
  .optional();

/** What a form may hold beside the file; a field with a list may be sent more than once. */
export interface UploadForm<Fields extends z.ZodObject> {
  fields: Fields;
  lists?: readonly string[];
  /** Fields that may be sent, and change nothing. */
  unread?: readonly string[];
  maxBytes: number;
}

/** What a caller may say of a recording in a form. */
export const uploadFields = z.object({
  language: languageField,
  prompt: z
    .string()
    .trim()
    .refine(
      (text) => characterCount(text) <= maxPromptLength,
      `must have at most ${maxPromptLength} characters`,
    )
    .refine(isStorableText, 'must be valid Unicode without U+0000')
    .transform(orAbsent)
    .optional(),
  speakers: z
    .string()
    .trim()
    .refine(isSpeakerCount, `must be a whole number from 1 to ${maxSpeakers}`)
    .transform((digits) => (digits === '' ? undefined : Number(digits)))
    .optional(),
});
export const transcribeForm = { fields: uploadFields, maxBytes: maxUploadBytes };

/** A form with a recording and these fields, for OpenAPI. */
export const formSchema = (fields: Record<string, object>, maxBytes?: number) => ({
  type: 'object',
  required: ['file'],
  properties: {
    file: {
      type: 'string',
      format: 'binary',
      description: `${acceptedAudio}${maxBytes === undefined ? '' : `, at most ${sizeInWords(maxBytes)}`}.`,
    },
    ...fields,
  },
});

export const uploadSchema = formSchema(
  {
    language: {
      type: 'string',
      description:
        'Language of the recording, such as `en` or `en-US`. Without it, or with `auto`, the engine detects it.',
    },
    prompt: {
      type: 'string',
      maxLength: maxPromptLength,
      description: 'Names and jargon to spell correctly, separated by commas.',
    },
    speakers: {
      type: 'integer',
      minimum: 1,
      maximum: maxSpeakers,
      description: 'How many people speak, if you know. Otherwise Steno detects it.',
    },
  },
  maxUploadBytes,
);

/** Here a body is read only when the handler asks for it, so a refused caller does not have to send the file. */
export async function acceptUploads(app: FastifyInstance): Promise<void> {
  acceptAnyBody(app);
  await app.register(multipart);
}

/**
 * Reads the form. Fields may come in any order; unknown ones are refused or ignored as names in a body are (strict.ts). The file
 * is only kept in memory. Raises `payload_too_large` as soon as the file is too large, `validation_error`, and the signal's reason.
 */
export async function readUpload<Fields extends z.ZodObject>(
  reply: FastifyReply,
  signal: AbortSignal,
  form: UploadForm<Fields>,
): Promise<z.output<Fields> & { audio: Uint8Array }> {
  const { request } = reply;
  if (!request.isMultipart())
    throw invalid('Content-Type must be multipart/form-data, with the recording in the field file.');
  const cut = cutOff(request, signal, form.maxBytes);
  try {
    const { audio, given, unknown } = await Promise.race([readParts(request, form), cut.happens]);
    refuseOrSay(reply, unknown);
    if (audio === undefined) throw invalid('file is required and must be a recording.');
    if (request.headers['idempotency-key'] !== undefined)
      request.uploadDigest = createHash('sha256')
        .update(JSON.stringify(given))
        .update(audio)
        .digest('base64url');
    return { ...parseWith(form.fields, given), audio };
  } catch (cause) {
    throw cause instanceof AppError ? cause : malformed(cause);
  } finally {
    cut.end();
    // Throws the rest of the body away. Otherwise the next request on this connection would never be read.
    request.raw.unpipe();
    request.raw.resume();
  }
}

interface Parts {
  audio?: Uint8Array;
  given: Record<string, string | string[]>;
  unknown: string[];
}

async function readParts(request: FastifyRequest, form: UploadForm<z.ZodObject>): Promise<Parts> {
  const { fields, lists = [], unread = [], maxBytes } = form;
  const read: Parts = { given: {}, unknown: [] };
  const parts = request.parts({
    limits: { fileSize: maxBytes + 1, fieldSize: maxFieldBytes, parts: maxParts },
    // Only the name of the field counts: a client need not send a file name or a type.
    isPartAFile: (fieldName) => fieldName === 'file',
  });
  for await (const part of parts) {
    // A list is often written as `name[]`.
    const name = part.fieldname.replace(/\[\]$/, '');
    if (part.type === 'file') {
      if (read.audio !== undefined) throw invalid('file must be sent once: one recording per request.');
      read.audio = await readFile(part, maxBytes, Number(request.headers['content-length'] ?? maxBytes));
    } else if (lists.includes(name)) {
      read.given[name] = [...(read.given[name] ?? []), String(part.value)];
    } else if (Object.hasOwn(fields.shape, name)) {
      if (read.given[name] !== undefined) throw invalid(`${name} must be sent once.`);
      read.given[name] = String(part.value);
    } else if (!unread.includes(name)) {
      read.unknown.push(shownName(part.fieldname));
    }
  }
  return read;
}

/** Into one buffer of the size that the body says, so that a large file is never there twice. Pages that stay empty take no memory. */
async function readFile(part: MultipartFile, maxBytes: number, bodyBytes: number): Promise<Uint8Array> {
  const audio = Buffer.allocUnsafe(Math.min(bodyBytes, maxBytes));
  let bytes = 0;
  for await (const chunk of part.file) {
    if (bytes + chunk.length > maxBytes) throw fileTooLarge(maxBytes);
    bytes += chunk.copy(audio, bytes);
  }
  // The chunks of the network.
  if (bytes > largeBytes) collectGarbage();
  return audio.subarray(0, bytes);
}

/** Rejects when the whole body is too large, or when the client has left. */
function cutOff({ raw }: FastifyRequest, signal: AbortSignal, maxBytes: number) {
  const { promise: happens, reject } = Promise.withResolvers<never>();
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes + maxOverheadBytes) reject(fileTooLarge(maxBytes));
  };
  const abort = () => reject(signal.reason);
  raw.on('data', count);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return {
    happens,
    end() {
      raw.off('data', count);
      signal.removeEventListener('abort', abort);
    },
  };
}

const fileTooLarge = (maxBytes: number) =>
  new AppError(
    'payload_too_large',
    `file is too large. Send at most ${sizeInWords(maxBytes)}: a shorter recording, or the same one as MP3 or Opus.`,
  );

/** Every error of the parser means that the form is wrong. */
const malformed = (cause: unknown) =>
  invalid('The form is malformed or incomplete. Send it again.', { cause });
