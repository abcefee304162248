import { useCallback, useMemo, useState } from 'react';
import { isNotFound } from '../../api/errors.ts';
import { maxCorrections } from '../../api/limits.ts';
import type { Corrections } from '../../features/transcript/corrections.ts';
import { offeredWord } from '../../features/transcript/offered-word.ts';
import { rewritten, type Segment, segmentsIn, toSpoken } from '../../features/transcript/spoken.ts';
import { Transcript } from '../../features/transcript/transcript.tsx';
import { type Download, TranscriptMenus } from '../../features/transcript/transcript-menus.tsx';
import { TranscriptView } from '../../features/transcript/transcript-view.tsx';
import { type Moment, useSeek } from '../../features/transcript/use-moment.ts';
import { toMarkdown, toText } from '../../features/transcript/written-out.ts';
import { formatNumber } from '../../lib/format.ts';
import { addWords, refreshWords } from '../../resources/dictionary.ts';
import {
  audioAddress,
  changeTranscription,
  type SaidPart,
  useSaidParts,
} from '../../resources/note-recording.ts';
import { type OpenNote, useNoteTranscript } from '../../resources/notes.ts';
import type { Recording } from '../../resources/recordings.ts';
import { useSession } from '../../resources/session.ts';
import { downloadAs } from '../../resources/transcriptions.ts';
import { noteStrings } from '../../strings/notes.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { Marked } from './found-words.tsx';
import { useDone } from './use-done.ts';
import { usePlayback } from './use-playback.ts';
import styles from './voice-text.module.css';

interface Props {
  note: OpenNote;
  query: string;
  /** Where to begin. */
  moment: Moment | undefined;
}

/** What was said in the recording of a note. */
export function VoiceText({ note, ...props }: Props) {
  const segments = useMemo(() => segmentsIn(note.transcript), [note.transcript]);
  return segments ? (
    <SpokenText note={note} segments={segments} {...props} />
  ) : (
    <PlainTranscript noteId={note.id} />
  );
}

/** Without times, or not in the list of notes that the page was opened from. */
function PlainTranscript({ noteId }: { noteId: string }) {
  const transcript = useNoteTranscript(noteId);
  if (isNotFound(transcript.error)) return <EmptyState icon="mic" {...texts.none} />;
  return (
    <Loaded from={transcript} lines={5}>
      {({ segments, text }) => <Transcript segments={segments} text={text} />}
    </Loaded>
  );
}

function SpokenText({ note, segments, query, moment }: Props & { segments: readonly Segment[] }) {
  const recordings = useDone(note.id);
  const parts = useSaidParts(note.id);
  const playback = usePlayback(recordings);
  useSeek(playback, moment);
  const corrections = useCorrections(note.id, parts);
  const [isCorrecting, setCorrecting] = useState(false);
  const spoken = useMemo(() => toSpoken(segments), [segments]);
  const mark = useCallback((text: string) => <Marked text={text} query={query} />, [query]);
  const { starts, hasUnsure } = spoken;
  const title = note.title ?? noteStrings.untitled;
  return (
    <>
      <div className={styles.bar}>
        <span aria-live="polite">
          {isCorrecting
            ? texts.correctHint
            : [texts.words(formatNumber(starts.length)), hasUnsure && texts.unsureWords]
                .filter(Boolean)
                .join(' · ')}
        </span>
        {corrections && (
          <Button
            look={isCorrecting ? 'primary' : 'quiet'}
            icon={isCorrecting ? 'check' : 'edit'}
            onClick={() => setCorrecting(!isCorrecting)}
          >
            {isCorrecting ? texts.correctDone : texts.correct}
          </Button>
        )}
        <TranscriptMenus
          text={() => toText(spoken)}
          markdown={() => toMarkdown(title, spoken)}
          downloads={downloadsOf(recordings, parts ?? [], title)}
        />
      </div>
      <TranscriptView
        spoken={spoken}
        playback={playback}
        corrections={corrections}
        isCorrecting={isCorrecting}
        moment={moment}
        mark={mark}
      />
    </>
  );
}

/** Only the person who made the recordings may correct their words; undefined for others. */
function useCorrections(noteId: string, parts: readonly SaidPart[] | undefined): Corrections | undefined {
  const userId = useSession().data?.user_id;
  const isOwn = parts !== undefined && parts.length > 0 && parts.every((part) => part.userId === userId);
  return useMemo(() => {
    if (!isOwn) return undefined;
    const change = (id: string, body: Parameters<typeof changeTranscription>[1]) =>
      changeTranscription({ id, noteId }, body).catch((error: unknown) => {
        toastError(error);
        throw error;
      });
    return {
      async correct(sentence, text) {
        const segments = rewritten(sentence.parts, text).map(({ position, text: expected_text, now }) => ({
          position,
          expected_text,
          ...(now === expected_text ? {} : { text: now }),
          confirmed: true,
        }));
        await changeSegments(segments);
        const word = offeredWord(sentence.text, text);
        if (word !== undefined) offer(word);
      },
      assign({ sentences }, speaker) {
        const said = sentences.flatMap((sentence) => sentence.parts);
        const segments = said.map(({ position, text }) => ({ position, expected_text: text, speaker }));
        // Silent: `change` has told it.
        void changeSegments(segments).catch(() => {});
      },
      rename(speaker, name) {
        const those = parts.filter(
          ({ segments }) => segments?.some((segment) => segment.speaker === speaker) ?? true,
        );
        // Silent: `change` has told it.
        for (const { transcriptionId } of those)
          void change(transcriptionId, { speakers: { [speaker]: name } }).catch(() => {});
      },
    };
    /** Each in its own transcription, and as many as one request takes. */
    async function changeSegments(segments: readonly { position: number; expected_text: string }[]) {
      let from = 0;
      for (const { transcriptionId, segments: own } of parts ?? []) {
        const until = own ? from + own.length : Number.POSITIVE_INFINITY;
        const those = segments
          .filter(({ position }) => position >= from && position < until)
          .map((segment) => ({ ...segment, position: segment.position - from }));
        from = until;
        for (let at = 0; at < those.length; at += maxCorrections)
          await change(transcriptionId, { segments: those.slice(at, at + maxCorrections) });
      }
    }
    function offer(word: string) {
      const add = () =>
        addWords([word]).then(() => {
          void refreshWords();
          toast({ title: texts.added(word) });
        }, toastError);
      toast({
        title: texts.offer(word),
        detail: texts.offerDetail,
        durationMs: 12_000,
        action: { label: texts.add, run: () => void add() },
      });
    }
  }, [isOwn, parts, noteId]);
}

/** A file has one of them; of several, each has its number. */
function downloadsOf(
  recordings: readonly Recording[],
  parts: readonly SaidPart[],
  title: string,
): Download[] {
  const count = Math.max(recordings.length, parts.length);
  return Array.from({ length: count }, (_, at) => {
    const [recording, said] = [recordings[at], parts[at]];
    const number = count > 1 ? at + 1 : undefined;
    const name = texts.ofRecording(title, number);
    return {
      number,
      words: said && ((format) => void downloadAs(said.transcriptionId, format, name).catch(toastError)),
      sound: recording?.has_audio ? () => downloadSound(recording, name) : undefined,
    } satisfies Download;
  }).filter(({ words, sound }) => words || sound);
}

const fileEndings: Readonly<Record<string, string>> = { mpeg: 'mp3', mp4: 'm4a', 'x-caf': 'caf' };

function downloadSound({ id, media_type }: Recording, title: string): void {
  const kind = media_type.split('/')[1] ?? '';
  const link = document.createElement('a');
  link.href = audioAddress(id);
  link.download = `${title}.${fileEndings[kind] ?? kind}`;
  link.click();
}
