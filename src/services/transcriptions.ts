import { certain, corrected } from '../domain/correction.ts';
import { AppError, notFound } from '../domain/errors.ts';
import { writerOf } from '../domain/note.ts';
import { reachOf, reachOfRecorded } from '../domain/owner.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Plans } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import { revisionLimits } from '../domain/revision.ts';
import { lookThrough, sizedLimit } from '../domain/said.ts';
import { toParagraphs, toSrt, toVtt } from '../domain/subtitles.ts';
import type { Segment } from '../domain/transcript.ts';
import type { ListedTranscription, Transcription, TranscriptionFormat } from '../domain/transcription.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { TranscriptionStore } from '../ports/transcription-store.ts';

export interface ListTranscriptionsOptions extends PageOptions {
  note_id?: string | undefined;
  language?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  sort?: 'newest' | 'oldest' | undefined;
  include?: 'segments' | undefined;
  recorded?: 'false' | undefined;
  q?: string | undefined;
}

export interface SegmentCorrection {
  /** The index of the segment. */
  position: number;
  expected_text: string;
  /** What was really said. */
  text?: string | undefined;
  /** A person says that these are the words, so that none is unsure any more. */
  confirmed?: boolean | undefined;
  /** Who says it, if it is another one. */
  speaker?: string | undefined;
}

interface TranscriptionChanges {
  segments?: readonly SegmentCorrection[] | undefined;
  /** The new name of each speaker, by the current one. */
  speakers?: Readonly<Record<string, string>> | undefined;
}

export type Transcriptions = ReturnType<typeof createTranscriptions>;

interface Dependencies {
  store: { transcriptions: TranscriptionStore };
  clock: Clock;
  newId: NewId;
  plans: Plans;
}

export function createTranscriptions({ store, clock, newId, plans }: Dependencies) {
  return {
    /**
     * Newest first if not asked otherwise: the caller's own, or those of a note that they may read. With `q`, a page has fewer if the next ones are
     * to be looked at by the next request. Raises `validation_error` for a bad cursor.
     */
    async list(principal: Principal, options: ListTranscriptionsOptions): Promise<Page<ListedTranscription>> {
      const { note_id: noteId, language, include, since, until } = options;
      const oldestFirst = options.sort === 'oldest';
      const name = oldestFirst ? 'transcriptions, oldest first' : 'transcriptions';
      const reader = reachOfRecorded(principal, noteId);
      const query = {
        ...pageQuery(name, options),
        noteId,
        language,
        since,
        until,
        oldestFirst,
        withoutRecorded: options.recorded === 'false',
      };
      const search = await lookThrough(options.q, () =>
        store.transcriptions.sizes(reader, { ...query, limit: sizedLimit }),
      );
      const withSegments = include === 'segments';
      const rows = await store.transcriptions.list(reader, { ...query, withSegments, said: search?.said });
      return toPage(name, rows, options.limit, undefined, search?.until);
    },

    /**
     * The transcription as JSON, or as text in another format.
     * Raises `not_found`, and `validation_error` for subtitles of a transcription without segments.
     */
    async show(
      principal: Principal,
      id: string,
      format: TranscriptionFormat,
    ): Promise<Transcription | string> {
      const record = await store.transcriptions.get(reachOf(principal), id);
      if (!record) throw notFound('Transcription');
      const { text, segments, audio_duration_ms } = record;
      const seconds = audio_duration_ms === null ? undefined : audio_duration_ms / 1000;
      switch (format) {
        case 'json':
          return record;
        case 'text':
          return segments ? toParagraphs(segments) : text;
        case 'srt':
          return toSrt(timed(segments), seconds);
        case 'vtt':
          return toVtt(timed(segments), seconds);
      }
    },

    /**
     * Corrects segments, gives them to other speakers, and renames speakers; two with the same name become one. The note of the
     * transcription follows, if the caller may change notes.
     * Raises `not_found`, `validation_error` for a segment or speaker that the transcription does not have, and `conflict`
     * for a segment whose text is not the expected one.
     */
    async change(
      principal: Principal,
      id: string,
      { segments: corrections = [], speakers = {} }: TranscriptionChanges,
    ): Promise<Transcription> {
      const at = clock();
      const note = principal.scopes.includes('notes:write')
        ? {
            reach: reachOf(principal),
            by: writerOf(principal),
            limits: revisionLimits(newId(), plans[principal.plan], at),
          }
        : undefined;
      const record = await store.transcriptions.changeSegments(
        principal.userId,
        id,
        (segments) => renamed(withTexts(segments, corrections), new Map(Object.entries(speakers))),
        new Date(at).toISOString(),
        note,
      );
      if (!record) throw notFound('Transcription');
      return record;
    },

    /** Its words and minutes still count. Raises `not_found`, even for a deleted transcription. */
    async remove(principal: Principal, id: string): Promise<void> {
      if (!(await store.transcriptions.remove(principal.userId, id))) throw notFound('Transcription');
    },
  };
}

/** A segment without words is removed. */
function withTexts(segments: readonly Segment[], corrections: readonly SegmentCorrection[]): Segment[] {
  const changed = [...segments];
  for (const { position, expected_text, text, confirmed, speaker } of corrections) {
    const segment = segments[position];
    if (!segment)
      throw new AppError('validation_error', `segments: this transcription has ${segments.length} segments.`);
    if (segment.text.trim() !== expected_text.trim())
      throw new AppError(
        'conflict',
        'This segment has changed since you read it. Read it again, then change it.',
      );
    const said = text === undefined ? segment : corrected(segment, text);
    changed[position] = {
      ...(confirmed ? certain(said) : said),
      speaker: speaker ?? segment.speaker,
    };
  }
  const positions = new Set(
    corrections.flatMap(({ position, text }) => (text === undefined ? [] : [position])),
  );
  return changed.filter(({ text }, position) => text !== '' || !positions.has(position));
}

function renamed(segments: readonly Segment[], names: ReadonlyMap<string, string>): Segment[] {
  const known = new Set(segments.map(({ speaker }) => speaker));
  const unknown = [...names.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw unknownSpeaker(unknown, known);
  return segments.map((segment) => ({
    ...segment,
    speaker: names.get(segment.speaker ?? '') ?? segment.speaker,
  }));
}

function unknownSpeaker(name: string, known: ReadonlySet<string | null>): AppError {
  const names = [...known].filter((speaker) => speaker !== null);
  const those =
    names.length > 0 ? `Its speakers are ${names.slice(0, 20).join(', ')}` : 'It names no speakers';
  return new AppError('validation_error', `speakers: this transcription has no ${name}. ${those}.`);
}

function timed(segments: Segment[] | null): Segment[] {
  if (!segments?.some(({ text }) => text.trim() !== ''))
    throw new AppError('validation_error', 'format must be json or text: this transcription has no words.');
  return segments;
}
