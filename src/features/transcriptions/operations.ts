import { z } from 'zod';
import { writerOf } from '../../domain/note.ts';
import { ownedBy, reachOf, reachOfRecorded } from '../../domain/owner.ts';
import { revisionLimits } from '../../domain/revision.ts';
import { lookThrough, sizedLimit } from '../../domain/said.ts';
import { toParagraphs, toSrt, toVtt } from '../../domain/subtitles.ts';
import {
  type Transcription,
  type TranscriptionFormat,
  transcriptionFormats,
} from '../../domain/transcription.ts';
import { authorize } from '../../kernel/authorized.ts';
import { command, list, stream } from '../../kernel/operation.ts';
import { dataOf } from '../../kernel/schemas.ts';
import { settle } from '../notes/queries.ts';
import { renamed, timed, withTexts } from './corrections.ts';
import * as queries from './queries.ts';
import {
  shownListedTranscription,
  shownTranscription,
  transcriptionChanges,
  transcriptionQuery,
} from './schema.ts';

const read = { credential: 'key', personal: 'transcriptions:read' } as const;

/** Also of notes that the caller may read. */
const readable = authorize('Transcription', ({ db, who }, id) => queries.find(db, reachOf(who), id));
const own = authorize('Transcription', ({ db, who }, id) => queries.find(db, ownedBy(who.userId), id));

export const listTranscriptions = list({
  http: 'GET /api/v1/transcriptions/list',
  tool: 'list_transcriptions',
  access: read,
  summary: 'List transcriptions, newest first',
  query: transcriptionQuery,
  items: shownListedTranscription,
  list: ({ sort }) => (sort === 'oldest' ? 'transcriptions, oldest first' : 'transcriptions'),
  limit: [100, 50],
  async run({ db, who }, { page, query: { note_id: noteId, sort, include, recorded, q, ...others } }) {
    const reader = reachOfRecorded(who, noteId);
    const oldestFirst = sort === 'oldest';
    const query = { ...others, ...page, noteId, oldestFirst, withoutRecorded: recorded === 'false' };
    const search = await lookThrough(q, () => queries.sizes(db, reader, { ...query, limit: sizedLimit }));
    const withSegments = include === 'segments';
    const rows = await queries.page(db, reader, { ...query, withSegments, said: search?.said });
    return { rows, until: search?.until };
  },
});

// A stream, because text is sent as it is.
export const getTranscription = stream({
  http: 'GET /api/v1/transcriptions/:id',
  tool: 'get_transcription',
  access: read,
  etag: 'content',
  wire: { plainText: true },
  summary: 'Get a transcription as JSON, plain text or subtitles',
  query: z.object({ format: z.enum(transcriptionFormats).default('json') }),
  answer: shownTranscription,
  responses: { 200: z.union([dataOf(shownTranscription), z.string()]) },
  async run(context, { id, query: { format } }) {
    const found = await readable(context, id);
    if (format === 'json') return found;
    return context.reply.type('text/plain; charset=utf-8').send(textIn(found, format));
  },
});

function textIn(
  { text, segments, audio_duration_ms }: Transcription,
  format: Exclude<TranscriptionFormat, 'json'>,
): string {
  const seconds = audio_duration_ms === null ? undefined : audio_duration_ms / 1000;
  if (format === 'srt') return toSrt(timed(segments), seconds);
  if (format === 'vtt') return toVtt(timed(segments), seconds);
  return segments ? toParagraphs(segments) : text;
}

export const updateTranscription = command({
  http: 'PATCH /api/v1/transcriptions/:id',
  tool: 'update_transcription',
  access: { credential: 'key', personal: 'transcriptions:write' },
  summary: 'Correct segments, say who speaks, or rename speakers; the note of the transcription follows',
  body: transcriptionChanges,
  answer: shownTranscription,
  errors: ['conflict'],
  async run(context, { id, body: { segments: corrections = [], speakers = {} } }) {
    const { tx, database, who, now, newId, parts, afterCommit } = context;
    const found = await own(context, id);
    const changed = withTexts(found.segments ?? [], corrections);
    const segments = renamed(changed, new Map(Object.entries(speakers)));
    // Its note is another right: without it, the note stays as it is.
    const note = who.scopes.includes('notes:write')
      ? {
          reach: reachOf(who),
          by: writerOf(who),
          limits: revisionLimits(newId(), parts.plans[who.plan], Date.parse(now)),
        }
      : undefined;
    const { record, isLarge } = await queries.changeSegments({ tx, database }, found, segments, now, note);
    if (isLarge) afterCommit(() => settle(database));
    return record;
  },
});

export const deleteTranscription = command({
  http: 'DELETE /api/v1/transcriptions/:id',
  access: { credential: 'key', personal: 'transcriptions:delete' },
  summary: 'Delete a transcription; its minutes and words still count',
  answer: 204,
  audit: ['transcription.deleted'],
  async run(context, { id }) {
    await queries.remove(context.tx, await own(context, id));
    await context.audit({ act: 'transcription.deleted', subject_id: id });
  },
});
