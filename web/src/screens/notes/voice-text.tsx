import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { formatNumber } from '../../lib/format.ts';
import { addWords, refreshWords } from '../../resources/dictionary.ts';
import {
  audioAddress,
  changeTranscription,
  useNoteRecording,
  useNoteTranscription,
} from '../../resources/note-recording.ts';
import type { OpenNote } from '../../resources/notes.ts';
import type { Recording } from '../../resources/recordings.ts';
import { useSession } from '../../resources/session.ts';
import { downloadAs } from '../../resources/transcriptions.ts';
import { noteStrings } from '../../strings/notes.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { Button } from '../../ui/button.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { offeredWord } from '../../ui/voice/offered-word.ts';
import { isJustSaid, type Segment, segmentsIn, toSpoken } from '../../ui/voice/spoken.ts';
import { TranscriptMenus } from '../../ui/voice/transcript-menus.tsx';
import { type Corrections, TranscriptView } from '../../ui/voice/transcript-view.tsx';
import styles from '../../ui/voice/voice.module.css';
import { toMarkdown, toText } from '../../ui/voice/written-out.ts';
import { Marked } from './found-words.tsx';
import noteStyles from './note.module.css';
import { Transcript } from './transcript.tsx';
import { usePlayback } from './use-playback.ts';

interface Props {
  note: OpenNote;
  /** The text of the note as it is now. */
  content: string;
  query: string;
  /** The text of the note to read. */
  children: ReactNode;
}

/** The text of a voice note. While it is only what was said, shows the transcript; otherwise the transcript is below. */
export function VoiceText({ note, content, query, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const segments = useMemo(() => segmentsIn(note.transcript), [note.transcript]);
  if (!segments)
    return (
      <>
        {children}
        {note.transcript && <Transcript noteId={note.id} />}
      </>
    );
  const said = <SpokenText note={note} segments={segments} query={query} />;
  if (isJustSaid(content, segments)) return said;
  return (
    <>
      {children}
      <details className={noteStyles.extra} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{texts.transcript}</summary>
        {isOpen && said}
      </details>
    </>
  );
}

function SpokenText({
  note,
  segments,
  query,
}: {
  note: OpenNote;
  segments: readonly Segment[];
  query: string;
}) {
  const recording = useNoteRecording(note.id).data;
  const transcription = useNoteTranscription(note.id);
  const playback = usePlayback(recording);
  const corrections = useCorrections(note.id);
  const [isCorrecting, setCorrecting] = useState(false);
  const spoken = useMemo(() => toSpoken(segments), [segments]);
  const mark = useCallback((text: string) => <Marked text={text} query={query} />, [query]);
  const { paragraphs, isNamed, starts, hasUnsure } = spoken;
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
            look="quiet"
            icon={isCorrecting ? 'check' : 'edit'}
            aria-pressed={isCorrecting}
            onClick={() => setCorrecting(!isCorrecting)}
          >
            {texts.correct}
          </Button>
        )}
        <TranscriptMenus
          text={() => toText(paragraphs, isNamed)}
          markdown={() => toMarkdown(title, paragraphs, isNamed)}
          onDownload={
            transcription
              ? (format) => void downloadAs(transcription.id, format, title).catch(toastError)
              : undefined
          }
          onDownloadSound={recording?.has_audio ? () => downloadSound(recording, title) : undefined}
        />
      </div>
      <TranscriptView
        spoken={spoken}
        playback={playback}
        corrections={corrections}
        isCorrecting={isCorrecting}
        mark={mark}
      />
    </>
  );
}

/** Only the person who made the recording may correct its words; undefined for others. */
function useCorrections(noteId: string): Corrections | undefined {
  const client = useQueryClient();
  const userId = useSession().data?.user_id;
  const transcription = useNoteTranscription(noteId);
  const id = transcription && transcription.user_id === userId ? transcription.id : undefined;
  return useMemo(() => {
    if (id === undefined) return undefined;
    const change = (body: Parameters<typeof changeTranscription>[2]) =>
      changeTranscription(client, { id, noteId }, body).catch((error: unknown) => {
        toastError(error);
        throw error;
      });
    return {
      async correct({ position, text: expected_text }, text) {
        await change({ segments: [{ position, expected_text, text }] });
        const word = offeredWord(expected_text, text);
        if (word !== undefined) offer(word);
      },
      rename(speaker, name) {
        void change({ speakers: { [speaker]: name } }).catch(() => {});
      },
    };
    function offer(word: string) {
      const add = () =>
        addWords([word]).then(() => {
          void refreshWords(client);
          toast({ title: texts.added(word) });
        }, toastError);
      toast({
        title: texts.offer(word),
        detail: texts.offerDetail,
        durationMs: 12_000,
        action: { label: texts.add, run: () => void add() },
      });
    }
  }, [client, id, noteId]);
}

const fileEndings: Readonly<Record<string, string>> = { mpeg: 'mp3', mp4: 'm4a', 'x-caf': 'caf' };

function downloadSound({ id, media_type }: Recording, title: string): void {
  const kind = media_type.split('/')[1] ?? '';
  const link = document.createElement('a');
  link.href = audioAddress(id);
  link.download = `${title}.${fileEndings[kind] ?? kind}`;
  link.click();
}
