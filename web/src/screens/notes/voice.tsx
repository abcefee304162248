import type { OpenNote } from '../../resources/notes.ts';
import { later } from '../../ui/later.tsx';
import { Skeleton } from '../../ui/states.tsx';

const player = () => import('./voice-player.tsx');
const text = () => import('./voice-text.tsx');

/** The player and the transcript are loaded when a voice note is opened. */
export const VoicePlayer = later(async () => (await player()).VoicePlayer);
export const VoiceText = later(async () => (await text()).VoiceText, <Skeleton lines={5} />);

/** Fetches their code ahead of time. */
export const loadVoice = () => Promise.all([player(), text()]).catch(() => {});

/** No person has written in the note. */
export const isJustSaid = (note: OpenNote, { content }: { content: string }) =>
  note.content_is_transcript && content === '';

/** Lists know the type of a note, but not its transcript. */
export const isVoiceNote = (note: OpenNote) => note.note_type === 'upload' || note.transcript !== null;
