import { createHash, randomUUID } from 'node:crypto';
import { close, mkdirSync, open, unlink, write } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, invalid, serviceUnavailable } from '../../domain/errors.ts';
import { codeOf } from '../../lib/log.ts';

const file = {
  open: promisify(open),
  unlink: promisify(unlink),
  write: promisify(write),
  close: promisify(close),
};

/** Here a body of any type is read only when the handler asks for it. */
export function acceptAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/**
 * Writes the body to a file that has no name, so that nothing is left behind, even by `kill -9`. The caller closes it. Raises
 * `validation_error` for a form, `payload_too_large` as soon as it is too large, the signal's reason, and `service_unavailable` if the disk is full.
 */
export async function spoolBody(
  request: FastifyRequest,
  { folder, maxBytes, signal }: { folder: string; maxBytes: number; signal: AbortSignal },
): Promise<number> {
  const { raw, headers } = request;
  if (headers['content-type']?.startsWith('multipart/'))
    throw invalid('Send the file itself as the body, not a form.');
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `.incoming-${randomUUID()}`);
  const fd = await file.open(path, 'wx+', 0o600);
  try {
    await file.unlink(path);
    const digest = createHash('sha256');
    let bytes = 0;
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
      signal.throwIfAborted();
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      digest.update(chunk);
      await file.write(fd, chunk);
    }
    signal.throwIfAborted();
    request.uploadDigest = digest.digest('base64url');
    return fd;
  } catch (cause) {
    await file.close(fd);
    throw codeOf(cause) === 'ENOSPC' ? diskFull(cause) : cause;
  } finally {
    // Throws the rest of the body away. Otherwise the next request on this connection would never be read.
    raw.resume();
  }
}

const tooLarge = (maxBytes: number) =>
  new AppError(
    'payload_too_large',
    `The body is too large. Send at most ${maxBytes / 1_000_000} MB, or ask the operator to run "steno import".`,
  );

const diskFull = (cause: unknown) =>
  serviceUnavailable('The server has no room for the file now. Try again later.', {
    cause,
    retryAfterSeconds: 60,
  });
