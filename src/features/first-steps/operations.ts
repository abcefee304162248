import type { Context, StreamContext } from '../../kernel/context.ts';
import { command, stream } from '../../kernel/operation.ts';
import * as queries from './queries.ts';
import { readClip, sampleFor, storeSample } from './sample.ts';
import { type FirstSteps, firstSteps } from './schema.ts';

const access = { credential: 'session' } as const;

async function stepsOf({ db, who, parts }: Context): Promise<FirstSteps> {
  const state = await queries.stateOf(db, who.userId);
  if (state === undefined || state === 'over')
    return { shown: false, recorded: false, wrote: false, connected: false, sample_id: null };
  // The operator may not want them.
  return { shown: parts.config.firstSteps, ...(await queries.done(db, who.userId)) };
}

/** Makes the sample, with its audio. */
async function begin({ act, parts, who, now, newId }: StreamContext): Promise<void> {
  const { keepAudio } = parts.config.recordings;
  const clip = await readClip();
  const sample = await sampleFor(who.userId, { bytes: clip.length, keepAudio, now, newId });
  const { id } = sample.recording;
  const audio = await parts.audioStore();
  // Before its row: a recording that says it has audio must have it. What a killed server leaves is 45 kB.
  if (keepAudio) await audio.append(id, 0, oneChunk(clip), async () => {});
  const isMade = await act((context) => storeSample(context, who.userId, sample));
  if (!isMade && keepAudio) await audio.remove(id);
}

async function* oneChunk(bytes: Uint8Array) {
  yield bytes;
}

export const beginFirstSteps = stream({
  http: 'POST /api/account/first-steps',
  access,
  summary: 'What a new person has done so far; the first call makes a sample voice note in an empty account',
  answer: firstSteps.meta({ id: 'FirstSteps' }),
  async run(context) {
    const isNew = (await queries.stateOf(context.db, context.who.userId)) === 'new';
    if (isNew && context.parts.config.firstSteps) await begin(context);
    return stepsOf(context);
  },
});

export const endFirstSteps = command({
  http: 'DELETE /api/account/first-steps',
  access,
  summary: 'Do not show the first steps again',
  answer: 204,
  async run({ tx, who }) {
    await queries.setState(tx, who.userId, 'over');
  },
});
