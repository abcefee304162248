import { AppError, notFound } from '../domain/errors.ts';
import { reachOf, reachOfRecorded } from '../domain/owner.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Principal } from '../domain/principal.ts';
import { toParagraphs, toSrt, toVtt } from '../domain/subtitles.ts';
import type { Segment } from '../domain/transcript.ts';
import type { ListedTranscription, Transcription, TranscriptionFormat } from '../domain/transcription.ts';
import type { TranscriptionStore } from '../ports/transcription-store.ts';

export interface ListTranscriptionsOptions extends PageOptions {
  note_id?: string | undefined;
  language?: string | undefined;
  include?: 'segments' | undefined;
}

export type Transcriptions = ReturnType<typeof createTranscriptions>;

export function createTranscriptions({ store }: { store: { transcriptions: TranscriptionStore } }) {
  return {
    /** Newest first: one's own, or those of a note that one may read; with segments only if asked for. Raises `validation_error` for a bad cursor. */
    async list(principal: Principal, options: ListTranscriptionsOptions): Promise<Page<ListedTranscription>> {
      const { note_id: noteId, language, include } = options;
      const rows = await store.transcriptions.list(reachOfRecorded(principal, noteId), {
        ...pageQuery('transcriptions', options),
        noteId,
        language,
        withSegments: include === 'segments',
      });
      return toPage('transcriptions', rows, options.limit);
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
     * Gives speakers other names; two that get the same one become one. The transcript of a note stays as it is.
     * Raises `not_found`, and `validation_error` for a speaker that the transcription does not have.
     */
    async renameSpeakers(
      principal: Principal,
      id: string,
      names: Readonly<Record<string, string>>,
    ): Promise<Transcription> {
      const renamed = new Map(Object.entries(names));
      const record = await store.transcriptions.changeSegments(principal.userId, id, (segments) => {
        const known = new Set(segments.map(({ speaker }) => speaker));
        const unknown = [...renamed.keys()].find((name) => !known.has(name));
        if (unknown !== undefined) throw unknownSpeaker(unknown, known);
        return segments.map((segment) => ({
          ...segment,
          speaker: renamed.get(segment.speaker ?? '') ?? segment.speaker,
        }));
      });
      if (!record) throw notFound('Transcription');
      return record;
    },

    /** Its words and minutes still count. Raises `not_found`, even for a deleted transcription. */
    async remove(principal: Principal, id: string): Promise<void> {
      if (!(await store.transcriptions.remove(principal.userId, id))) throw notFound('Transcription');
    },
  };
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
