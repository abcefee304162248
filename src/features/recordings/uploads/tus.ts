import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { z } from 'zod';
import { AppError, invalid } from '../../../domain/errors.ts';
import { parseWith } from '../../../kernel/schemas.ts';
import { acceptUploads } from '../../../platform/http/upload.ts';
import { recordingFields, withoutEnding } from '../schema.ts';

/** The protocol of resumable uploads: https://tus.io/protocols/resumable-upload, version 1.0.0. */
export const tusVersion = '1.0.0';
export const uploadsPath = '/api/v1/recordings/uploads';
const extensions = 'creation,creation-with-upload,creation-defer-length,termination,expiration';
const bodyType = 'application/offset+octet-stream';

/** Every answer of these routes names the protocol, also to a preflight request, which never reaches a route. */
export function announceTus(
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  if (request.url.startsWith(uploadsPath)) {
    reply.header('tus-resumable', tusVersion);
    if (request.method === 'OPTIONS')
      reply.header('tus-version', tusVersion).header('tus-extension', extensions);
  }
  done();
}

export async function acceptTus(app: FastifyInstance): Promise<void> {
  await acceptUploads(app);
  app.addHook('preValidation', refuseOtherTus);
}

/** The standard has statuses of its own for another version and another type. Runs before the headers are checked. */
async function refuseOtherTus(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { headers, method } = request;
  if (headers['tus-resumable'] !== tusVersion) {
    reply.header('tus-version', tusVersion);
    throw new AppError(
      'precondition_failed',
      `Tus-Resumable must be ${tusVersion}: this is the only version that the server speaks.`,
    );
  }
  if (method === 'PATCH' && headers['content-type'] !== bodyType)
    throw new AppError('unsupported_media_type', `Content-Type must be ${bodyType}.`);
}

const digits = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number of bytes')
  .transform(Number);

const version = z
  .literal(tusVersion, `must be ${tusVersion}: this is the only version that the server speaks`)
  .describe('The version of the protocol.');

export const createHeaders = z
  .object({
    'tus-resumable': version,
    'upload-length': digits.optional().describe('The size of the file.'),
    'upload-defer-length': z
      .literal('1', 'must be 1')
      .optional()
      .describe('`1` if the size is not known yet.'),
    'upload-metadata': z
      .string()
      .optional()
      .describe(
        'Pairs of a name and a value in Base64: `filename` or `name`, `language`, `prompt`, `speakers`, `note`, `note_id`, `keep_audio`.',
      ),
  })
  .refine(
    (given) => (given['upload-length'] === undefined) !== (given['upload-defer-length'] === undefined),
    {
      path: ['upload-length'],
      message: 'or upload-defer-length is required, and not both',
    },
  );

export const stateHeaders = z.object({ 'tus-resumable': version });

export const appendHeaders = z.object({
  'tus-resumable': version,
  'upload-offset': digits.describe('Where the body begins: the offset that the server reported.'),
  'upload-length': digits.optional().describe('The size, if it was not known before.'),
  'content-type': z.literal(bodyType, `must be ${bodyType}`),
});

/** Whether a request that creates an upload brings its first bytes. */
export const bringsBytes = ({ headers }: FastifyRequest) => headers['content-type'] === bodyType;

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Raises `validation_error`. Names that Steno does not know are ignored: clients send more. */
export function readMetadata(header = '') {
  const given: Record<string, string> = {};
  for (const pair of header.split(',').filter((text) => text.trim() !== '')) {
    const [name = '', value = '', ...more] = pair.trim().split(' ');
    if (more.length > 0 || !base64.test(value))
      throw invalid('upload-metadata must be pairs of a name and a value in Base64.');
    given[name] = Buffer.from(value, 'base64').toString('utf8');
  }
  const { filename, ...fields } = given;
  return parseWith(recordingFields, { ...(filename ? { name: withoutEnding(filename) } : {}), ...fields });
}
