import { z } from 'zod';
import { transcribeAccess } from '../../domain/access.ts';
import { conflict, forbidden, notFound } from '../../domain/errors.ts';
import { reachOf, reachOfRecorded } from '../../domain/owner.ts';
import type { ListedRecording, Recording, RecordingSettings } from '../../domain/recording.ts';
import { lookThrough, sizedLimit } from '../../domain/said.ts';
import { toParagraphs } from '../../domain/subtitles.ts';
import type { Context } from '../../kernel/context.ts';
import { command, follow, list, query, stream } from '../../kernel/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import { mostStreamsPerPerson } from '../../platform/http/event-stream.ts';
import { acceptUploads } from '../../platform/http/upload.ts';
import * as transcriptions from '../transcriptions/queries.ts';
import { sendAudio } from './audio.ts';
import { incomingRecording, readAway } from './incoming.ts';
import * as queries from './queries.ts';
import { own, reached } from './queries.ts';
import { receive } from './receive.ts';
import {
  recordingChanges,
  recordingFields,
  recordingForm,
  recordingQuery,
  shownListedRecording,
  shownRecording,
  shownRecordingWithTranscript,
  shownSettings,
  waveform,
} from './schema.ts';

const read = {
  credential: 'key',
  personal: 'transcriptions:read',
  workspace: 'workspace:transcriptions:read',
} as const;
const readOwn = { credential: 'key', personal: 'transcriptions:read' } as const;
const write = { credential: 'key', personal: 'transcriptions:write' } as const;

export const uploadRecording = stream({
  http: 'POST /api/v1/recordings',
  access: transcribeAccess,
  cost: 5,
  summary: 'Upload a recording of any length, as the body or as a form; it is transcribed afterwards',
  query: recordingFields,
  accepts: acceptUploads,
  digest: ({ reply }) => readAway(reply),
  wire: { slowUpload: true, multipart: recordingForm, rawUpload: true },
  answer: [201, shownRecording],
  errors: ['quota_exceeded', 'not_found'],
  again: async (context, { id, kept }) => ({ ...(await reached(context, id)), ...kept }),
  run: (context, { query }) =>
    receive(context.parts.recorder(), context, incomingRecording(context.reply, query)),
});

export const listRecordings = list({
  http: 'GET /api/v1/recordings',
  tool: 'list_recordings',
  access: read,
  summary: 'List recordings, newest first',
  query: recordingQuery,
  items: shownListedRecording,
  list: 'recordings',
  limit: [100, 50],
  async run({ db, who }, { page, query: { note_id: noteId, include, q } }) {
    const reader = reachOfRecorded(who, noteId);
    const wanted = { ...page, noteId };
    const search = await lookThrough(q, () => queries.sizes(db, reader, { ...wanted, limit: sizedLimit }));
    const rows = await queries.page(db, reader, { ...wanted, said: search?.said });
    return { rows: include === 'words' ? await withBeginnings(db, rows) : rows, until: search?.until };
  },
});

async function withBeginnings(db: Db, found: readonly Recording[]): Promise<ListedRecording[]> {
  const ids = found.flatMap(({ transcription_id }) => transcription_id ?? []);
  const begun = new Map((await transcriptions.beginnings(db, ids)).map((one) => [one.id, one]));
  return found.map((recording) => {
    const words = begun.get(recording.transcription_id ?? '');
    return { ...recording, word_count: words?.word_count ?? null, beginning: words?.beginning ?? null };
  });
}

async function settingsOf({ db, who, parts }: Context): Promise<RecordingSettings> {
  const { keepAudio, keepAudioDays } = parts.config.recordings;
  return {
    keep_audio: keepAudio && (await queries.keepsAudio(db, who.userId)),
    may_keep_audio: keepAudio,
    keep_audio_days: keepAudioDays,
  };
}

function requireKeeping({ parts }: Context): void {
  if (!parts.config.recordings.keepAudio) throw forbidden('This server keeps no audio; ask its operator.');
}

export const getRecordingSettings = query({
  http: 'GET /api/v1/recordings/settings',
  access: readOwn,
  summary: 'Get whether the audio of your recordings is kept',
  answer: shownSettings,
  run: settingsOf,
});

export const updateRecordingSettings = command({
  http: 'PATCH /api/v1/recordings/settings',
  access: write,
  summary: 'Set whether the audio of your new recordings is kept, unless the upload says',
  body: z.object({ keep_audio: z.boolean() }),
  answer: shownSettings,
  async run(context, { body: { keep_audio } }) {
    if (keep_audio) requireKeeping(context);
    await queries.setKeepsAudio(context.tx, context.who.userId, keep_audio);
    return settingsOf(context);
  },
});

export const getRecording = query({
  http: 'GET /api/v1/recordings/:id',
  tool: 'get_recording',
  access: read,
  etag: 'content',
  summary: 'Get a recording: its state, and its words if you ask for them',
  query: z.object({ include: z.literal('transcript').optional() }),
  answer: shownRecordingWithTranscript,
  async run(context, { id, query: { include } }) {
    const found = await reached(context, id);
    if (include === undefined) return found;
    const { transcription_id: words } = found;
    const record =
      words === null ? undefined : await transcriptions.find(context.db, reachOf(context.who), words);
    const transcript = record ? (record.segments ? toParagraphs(record.segments) : record.text) : null;
    return { ...found, transcript };
  },
});

export const updateRecording = command({
  http: 'PATCH /api/v1/recordings/:id',
  access: write,
  summary: 'Rename a recording, or say whether its audio is kept or how many people speak',
  body: recordingChanges,
  answer: shownRecording,
  errors: ['conflict'],
  async run(context, { id, body }) {
    const { tx, now, parts, afterCommit } = context;
    if (body.keep_audio) requireKeeping(context);
    const found = await own(context, id);
    if (body.keep_audio && !found.has_audio)
      throw conflict('The audio of this recording is gone and cannot be kept.');
    if (body.speakers !== undefined && found.state === 'done')
      throw conflict('The words of this recording are stored: it is known who speaks.');
    const updated = await queries.update(tx, found, body, now);
    afterCommit(() => {
      // Silent: the next hour's housekeeping sweeps again, and logs what fails there.
      if (!updated.has_audio) void parts.sweepAudio().catch(() => {});
      parts.recorder().signals.notify(id);
    });
    return updated;
  },
});

export const deleteRecording = command({
  http: 'DELETE /api/v1/recordings/:id',
  access: { credential: 'key', personal: 'transcriptions:delete' },
  summary: 'Delete a recording with its audio; its transcription stays unless you ask',
  query: z.object({
    with_transcription: z
      .enum(['true', 'false'])
      .default('false')
      .describe('`true` deletes its transcription as well.'),
  }),
  answer: 204,
  audit: ['recording.deleted'],
  async run(context, { id, query: { with_transcription } }) {
    const { tx, parts, audit, afterCommit } = context;
    const withTranscription = with_transcription === 'true';
    await queries.remove(tx, await own(context, id), { withTranscription });
    await audit({ act: 'recording.deleted', subject_id: id });
    afterCommit(() => {
      const { worker, signals } = parts.recorder();
      worker.cancel(id);
      signals.notify(id);
      // Silent: the recording is deleted, and the next hour's housekeeping sweeps again.
      return parts.sweepAudio().catch(() => {});
    });
  },
});

export const retryRecording = command({
  http: 'POST /api/v1/recordings/:id/retry',
  access: transcribeAccess,
  summary: 'Transcribe a failed recording again, from where it failed',
  answer: shownRecording,
  errors: ['conflict'],
  async run(context, { id }) {
    const { tx, now, parts, afterCommit } = context;
    const found = await own(context, id);
    if (found.state !== 'failed') throw conflict('This recording has not failed.');
    if (!found.has_audio) throw conflict('The audio of this recording is gone. Upload it again.');
    afterCommit(() => {
      const { worker, signals } = parts.recorder();
      signals.notify(id);
      worker.wake();
    });
    return queries.requeue(tx, found, now);
  },
});

export const getRecordingWaveform = query({
  http: 'GET /api/v1/recordings/:id/waveform',
  access: read,
  etag: 'content',
  summary: 'Get how loud a recording is from beginning to end, to draw it',
  answer: waveform,
  async run(context, { id }) {
    const found = await reached(context, id);
    if (!found.has_audio || found.state !== 'done') throw notFound('Waveform');
    return { peaks: [...(await context.parts.recorder().waveformOf(found))] };
  },
});

export const getRecordingAudio = stream({
  http: 'GET /api/v1/recordings/:id/audio',
  access: read,
  etag: 'own',
  wire: { audio: true },
  summary: 'Get the audio of a recording, or a range of it: your own, or of a note in your space',
  answer: z.string(),
  responses: { 200: z.string(), 206: z.string() },
  errors: ['range_not_satisfiable'],
  async run(context, { id }) {
    const found = await reached(context, id);
    if (!found.has_audio || found.state === 'uploading') throw notFound('Audio');
    return sendAudio(context.reply, found, context.parts.recorder().audioStore);
  },
});

export const followRecording = follow({
  http: 'GET /api/v1/recordings/:id/events',
  access: readOwn,
  summary:
    'Follow a recording as server-sent events: `state`, `text` as soon as it is final, and `tail` while somebody speaks',
  description: `A person can have ${mostStreamsPerPerson} streams of events at a time. One more ends the oldest, which may come again after half a minute.`,
  headers: z.object({
    'last-event-id': z
      .string()
      .optional()
      .describe('The last event that you have: the texts go on after it. Browsers send it themselves.'),
  }),
  responses: { 204: z.undefined().describe('You have everything.') },
  async run(context, { id, headers: { 'last-event-id': after } }) {
    const from = /^\d{1,9}$/.test(String(after)) ? Number(after) + 1 : 0;
    return context.parts.recorder().follow(await own(context, id), from, context.signal);
  },
});
