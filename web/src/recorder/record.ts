import { createGrowingAudio } from '@steno/sdk';
import { isPageOver } from '../api/person.ts';
import { after } from '../lib/after.ts';
import { locale } from '../lib/locale.ts';
import { Playback } from '../lib/playback.ts';
import { randomId } from '../lib/random-id.ts';
import { createStore, useStore } from '../lib/store.ts';
import type { Destination } from '../resources/asked.ts';
import { followRecording, type LiveTranscript, type Recording } from '../resources/recordings.ts';
import type { Me } from '../resources/session.ts';
import { fetchUsage } from '../resources/usage.ts';
import { recorderStrings as texts } from '../strings/recorder.ts';
import { toast } from '../ui/toast.tsx';
import { soundAlarm } from './alarm.ts';
import type { Item, KeptUpload } from './item.ts';
import { uploadsInBrowser } from './kept-uploads.ts';
import { type Microphone, openMicrophone, type Trouble } from './microphone.ts';
import { explainProblem, Refusal, refusalOf } from './problems.ts';
import type { Queue } from './queue.ts';
import { asked, isPaused, recorder } from './state.ts';
import { stayAwake } from './stay-awake.ts';

/** "16 Nov, 09:30": short enough for a title. */
const moment = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
/** Speech stays clear at this rate; a minute is 240 kB. */
const bitsPerSecond = 32_000;
/** A crashed page loses at most this much. */
const partMs = 1_000;
/** Chrome and Firefox support the first, Safari before 18.4 only the last. The server transcribes all of them live. */
const types = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];
/** People without minutes are told before they speak, but a slow answer must not delay the recording. */
const longestQuestionMs = 1_500;

interface Running {
  media: MediaRecorder;
  microphone: Microphone;
  isDiscarded: boolean;
}

let running: Running | undefined;
const live = createStore<LiveTranscript>({ texts: [], partial: '' });
export const useLiveTranscript = () => useStore(live);
export const microphoneInUse = () => running?.microphone;

/** Records from the microphone and uploads while the person speaks. */
export async function startRecording(queue: Queue, me: Me, to: Destination | undefined): Promise<void> {
  if (running || recorder.get().step === 'asking') return;
  recorder.set({ step: 'asking', to });
  try {
    await checkAllowed(me);
    const microphone = await openMicrophone({ onTrouble, onChanged });
    Playback.pause();
    begin(queue, me, microphone, to);
  } catch (error) {
    recorder.set({ step: 'refused', problem: explainProblem(error) });
  }
}

/** Raises `Refusal` when the plan, a policy or the month's minutes allow no recording. */
export async function checkAllowed(me: Me): Promise<void> {
  const usage = await Promise.race([fetchUsage().catch(() => undefined), after(longestQuestionMs)]);
  const refusal = refusalOf(me.speech, usage);
  if (refusal) throw new Refusal(refusal);
}

function begin(queue: Queue, me: Me, microphone: Microphone, to: Destination | undefined): void {
  const upload: KeptUpload = {
    id: randomId(),
    userId: me.user_id,
    name: texts.name(moment.format(new Date())),
    asked: asked.get(),
    to,
    kind: 'spoken',
    size: 0,
    isSent: false,
  };
  const { id } = upload;
  const audio = createGrowingAudio();
  const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
  const media = new MediaRecorder(microphone.stream, {
    audioBitsPerSecond: bitsPerSecond,
    ...(mimeType ? { mimeType } : {}),
  });
  const current = { media, microphone, isDiscarded: false };
  running = current;
  let order = 0;
  media.ondataavailable = ({ data }) => {
    if (current.isDiscarded || data.size === 0) return;
    queue.keepSound(upload, order++, data);
    audio.add(data);
    const isFull = spokenMs() > me.speech.recording_max_minutes * 60_000;
    if (isFull && media.state === 'recording') {
      toast({ title: texts.full(me.speech.recording_max_minutes) });
      stopRecording();
    }
  };
  media.onstop = () => {
    microphone.close();
    sleep();
    window.removeEventListener('beforeunload', warn);
    running = undefined;
    const item = queue.itemOf(id);
    const isLost = current.isDiscarded || audio.size === 0;
    if (item && isLost) void throwAway(queue, item);
    else audio.end();
    recorder.set(
      item && !isLost ? { step: 'finishing', id, place: window.location.pathname } : { step: 'off' },
    );
  };
  window.addEventListener('beforeunload', warn);
  const sleep = stayAwake({
    play: () => void resumeRecording(),
    pause: pauseRecording,
    stop: stopRecording,
  });
  void uploadsInBrowser.keepUpload(upload);
  queue.enqueue(upload, audio);
  listenTo(queue, id);
  media.start(partMs);
  recorder.set({ step: 'recording', id, spokenMs: 0, since: Date.now() });
}

export function pauseRecording(): void {
  const state = recorder.get();
  if (state.step !== 'recording' || state.since === undefined) return;
  running?.media.pause();
  recorder.set({ ...state, spokenMs: spokenMs(), since: undefined });
}

/** With a new track if the microphone is gone, muted or silent. */
export async function resumeRecording(): Promise<void> {
  const current = running;
  if (!current || !isPaused(recorder.get())) return;
  const problem = await current.microphone.revive().then(() => undefined, explainProblem);
  const state = recorder.get();
  if (running !== current || state.step !== 'recording' || state.since !== undefined) return;
  recorder.set({ ...state, problem, since: problem ? undefined : Date.now() });
  if (!problem) current.media.resume();
}

/** A recording without sound goes on only while its sound may come back by itself. */
function onTrouble(trouble: Trouble | undefined): void {
  const state = recorder.get();
  if (state.step !== 'recording' || (trouble && isPaused(state))) return;
  recorder.set({ ...state, problem: trouble && texts.unheard[trouble] });
  if (trouble === 'lost' || trouble === 'interrupted') pauseRecording();
  if (trouble) soundAlarm();
}

function onChanged(label: string): void {
  toast({ title: texts.hearsNow(label) });
  const state = recorder.get();
  recorder.set({ ...state });
  if (!isPaused(state)) soundAlarm();
}

export const stopRecording = () => running?.media.stop();

/** The dock goes. Who signs out is asked whether to delete what is not sent; else the sound so far is kept and sent later. */
export function endRecording(): void {
  if (running) {
    running.isDiscarded = isPageOver();
    running.media.stop();
    toast(isPageOver() ? { title: texts.signedOut } : { title: texts.stopped, detail: texts.stoppedDetail });
  }
  recorder.set({ step: 'off' });
}

export function discardRecording(): void {
  if (!running) return;
  running.isDiscarded = true;
  running.media.stop();
}

/** Says that it is deleted once that is so. */
export async function throwAway(queue: Queue, item: Item): Promise<void> {
  let waits = false;
  const isGone = await queue.giveUp(item, () => {
    waits = true;
    toast({ title: texts.deletedLater, detail: texts.deletedLaterDetail });
  });
  if (isGone && waits) toast({ title: texts.deleted });
  else if (!isGone) toast({ title: texts.notDeleted, detail: texts.notDeletedDetail, tone: 'danger' });
}

/** The recorded time, without pauses. */
export function spokenMs(now = Date.now()): number {
  const state = recorder.get();
  if (state.step !== 'recording') return 0;
  return state.spokenMs + (state.since === undefined ? 0 : Math.max(0, now - state.since));
}

/** Follows the words of a live recording until they are final. */
function listenTo(queue: Queue, id: string): void {
  let followed: string | undefined;
  let stop = () => {};
  live.set({ texts: [], partial: '' });
  const unsubscribe = queue.items.subscribe(() => {
    const item = queue.itemOf(id);
    const isOver = !item || item.state.step === 'done' || item.state.step === 'failed';
    const recordingId = isOver ? undefined : item.recordingId;
    if (recordingId !== followed) {
      stop();
      followed = recordingId;
      const on = { live: live.set, recording: (recording: Recording) => queue.showRecording(id, recording) };
      stop = recordingId ? followRecording(recordingId, on) : () => {};
    }
    if (isOver) unsubscribe();
  });
}

const warn = (event: BeforeUnloadEvent) => event.preventDefault();
