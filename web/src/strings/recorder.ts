import { forPointer } from '../lib/for-pointer.ts';
import { recordStrings } from './record.ts';

/** The recorder and the queue of recordings, at the foot of every screen. */
export const recorderStrings = {
  ...recordStrings,
  goesTo: (place: string) => `The note goes to “${place}”.`,
  asking: 'Waiting for the microphone…',
  where: 'Where does this recording go?',
  intoNote: (title: string) => `Into “${title}”`,
  newNote: 'New note',
  inTranscript: 'What you said is in the transcript of this note.',
  pause: 'Pause',
  resume: 'Resume',
  stop: 'Stop',
  discard: 'Discard',
  discardTitle: 'Discard this recording?',
  discardDetail: 'You can’t get back what you said.',
  deleted: 'The recording is deleted',
  deletedLater: 'The recording is not deleted yet',
  deletedLaterDetail: 'The server doesn’t delete it now. Steno asks again until it does.',
  notDeleted: 'The server didn’t delete the recording',
  notDeletedDetail: 'You find it in your history, and can delete it there.',
  speakers: { label: 'How many people speak?', any: 'I’m not sure' },
  microphone: 'Microphone',
  text: 'What you said',
  showText: 'Show text',
  hideText: 'Hide text',
  nothingYet: 'Start speaking. Your words appear here.',
  wordsSoon: 'Your words appear here in a moment.',
  online: 'Sent to the server as you speak',
  nothingRecorded: 'Nothing is recorded until you resume',
  nothingHeard: 'Your microphone gives no sound',
  hearsNow: (microphone: string) => `${microphone} hears you now`,
  unheard: {
    lost: {
      title: 'Your microphone is gone',
      detail: 'What you said until then is kept. Connect a microphone, then press Resume.',
    },
    interrupted: {
      title: 'Your device stopped the sound',
      detail: 'A call or another app took the microphone. Press Resume when it is free.',
    },
    muted: {
      title: 'Your microphone is muted',
      detail: 'Turn it on again on the microphone or in the system’s settings. The recording goes on.',
    },
    silent: {
      title: 'Nothing has been heard for a minute',
      detail: 'Check the switch of your microphone, or choose another one below.',
    },
  },
  waiting: 'Waiting for the server. What you say is kept in this browser and sent when it answers.',
  waitingUnkept:
    'Waiting for the server. Your browser can’t keep what you say, so leave this page open until it answers.',
  keptHere: 'When you stop, you can save the audio as a file.',
  finishing: 'Making your note…',
  name: (when: string) => `Recording, ${when}`,
  full: (minutes: number) => `A recording has at most ${minutes} minutes, so it was stopped here.`,
  signedOut: 'You signed out, so the recording was stopped',
  stopped: 'The recording was stopped',
  stoppedDetail: 'What you said is kept in this browser. It becomes a note when you are here again.',
  failed: 'This recording couldn’t be transcribed',
  ready: (name: string) => `“${name}” is ready`,
  openNote: 'Open note',
  resumed: (name: string) => `“${name}” was interrupted`,
  resumedDetail: 'What you said until then is becoming a note.',
  queue: {
    clear: 'Clear all',
    label: 'Recordings in progress',
    waiting: 'Waiting',
    sending: (sent: string, size: string) => `Uploading, ${sent} of ${size}`,
    sendingSpoken: 'Sending what you said',
    away: 'Waiting for the server. Goes on by itself.',
    queued: 'Waiting to be transcribed',
    transcribing: (percent: number) => `Transcribing, ${percent}%`,
    done: 'Ready',
    missing: 'Choose the file again to resume the upload.',
    choose: 'Choose file',
    wrongFile: (name: string) => `That’s another file. Choose “${name}”.`,
    giveUp: (name: string) => `Stop and remove ${name}`,
    onlyCopy: (name: string) =>
      `“${name}” is not a note yet, and there is no other copy of it. You can’t undo this.`,
    dismiss: (name: string) => `Dismiss ${name}`,
    retry: 'Try again',
    save: 'Save the audio',
    inWork: (count: number) => (count === 1 ? '1 recording in progress' : `${count} recordings in progress`),
    troubledToo: (count: number) => (count === 1 ? '1 needs attention' : `${count} need attention`),
    troubled: (count: number) =>
      count === 1 ? '1 recording needs attention' : `${count} recordings need attention`,
    ready: (count: number) => (count === 1 ? '1 recording is ready' : `${count} recordings are ready`),
  },
  problems: {
    tooLarge: {
      title: 'This recording is too large',
      detail: (size: string, max: string) =>
        `It is ${size}, and your plan allows ${max}. Split it, or save it as MP3 or Opus, which are much smaller.`,
    },
    empty: { title: 'This file is empty', detail: 'Choose another one.' },
    notSound: {
      title: 'This file can’t be transcribed',
      detail: (formats: readonly string[]) =>
        `Choose a recording: ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(formats)}.`,
    },
    quota: {
      title: 'No recording minutes left this month',
      resets: (day: string) => `Resets on ${day}.`,
    },
    plan: {
      title: 'Your plan doesn’t include transcription',
      detail: 'Ask your administrator.',
    },
    forbidden: {
      title: 'Transcription is turned off for you',
      detail: 'A workspace that manages you has turned it off. Ask one of its admins.',
    },
    blocked: {
      title: 'Your microphone is blocked',
      detail: 'Allow it for this page in your browser’s settings, then press Record again.',
    },
    missing: {
      title: 'No microphone found',
      detail: forPointer({
        mouse: 'Connect one, or drop in a recording instead.',
        finger: 'Connect one, or choose a recording under Transcribe instead.',
      }),
    },
    interrupted: {
      title: 'Your device still holds the sound',
      detail: 'End the call or the app that uses it, then press Resume.',
    },
    insecure: {
      title: 'This page can’t use the microphone',
      detail: forPointer({
        mouse:
          'Browsers allow it only over https, or on the machine that runs Steno. You can still drop in a recording.',
        finger: 'Browsers allow it only over https. You can still choose a recording under Transcribe.',
      }),
    },
  },
};
