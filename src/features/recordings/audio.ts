import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { Recording } from '../../domain/recording.ts';
import type { AudioStore } from '../../platform/audio-store/audio-store.ts';
import { isKnown } from '../../platform/http/etag.ts';
import { readRange } from '../../platform/http/range.ts';

/** Sends the audio, or the range of it that the request asks for. Raises `range_not_satisfiable`. */
export async function sendAudio(
  reply: FastifyReply,
  { id, bytes, media_type }: Recording,
  audioStore: AudioStore,
): Promise<FastifyReply> {
  const { request } = reply;
  const range = readRange(request.headers.range);
  const start = range?.last === undefined ? (range?.start ?? 0) : Math.max(0, bytes - range.last);
  const end = Math.min(bytes, range?.end ?? bytes);
  if (range && start >= end) {
    reply.header('content-range', `bytes */${bytes}`);
    throw new AppError('range_not_satisfiable', `Range must begin before byte ${bytes}.`);
  }
  // The browser keeps it and asks each time, so it shows nothing once the person has signed out.
  const etag = `"${id}-${bytes}"`;
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
  if (isKnown(reply, etag)) return reply.code(304).send();
  reply
    .code(range ? 206 : 200)
    .type(media_type)
    .header('accept-ranges', 'bytes')
    .header('content-length', end - start);
  if (range) reply.header('content-range', `bytes ${start}-${end - 1}/${bytes}`);
  const chunks = () => audioStore.read(id, { start, end });
  if (request.method !== 'HEAD') return reply.send(Readable.from(chunks(), { objectMode: false }));
  // Fastify reads a stream to its end before it answers HEAD; one chunk shows that the file is there.
  for await (const _ of chunks()) break;
  return reply.send(Readable.from([], { objectMode: false }));
}
