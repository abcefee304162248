import { beforeAll, expect, test } from 'vitest';
import {
  embedSpeakers,
  loadSpeakerNetwork,
  type SpeakerEmbedding,
  type SpeakerNetwork,
} from '../../../src/engines/speech/diarize/embed.ts';
import { cepstra, cepstraOf } from '../../../src/engines/speech/diarize/features.ts';
import { cacheFolders, speakerModel } from '../../../src/engines/speech/pool/model-file.ts';
import { prepareModel } from '../../../tools/prepare-model/prepare.ts';
import { recordingOf, samplesOf, silence } from '../../support/sound.ts';

let network: SpeakerNetwork;
beforeAll(async () => {
  network = await loadSpeakerNetwork(prepareModel(speakerModel(), cacheFolders()), 1);
});
async function voicesIn(pcm: Float32Array): Promise<SpeakerEmbedding[]> {
  const voices: SpeakerEmbedding[] = [];
  for await (const chunk of recordingOf(pcm).chunks()) voices.push(...(await embedSpeakers(chunk, network)));
  return voices;
}

const likeness = (a: readonly SpeakerEmbedding[], b: readonly SpeakerEmbedding[]) => {
  const cosines = a.flatMap((x) =>
    b.map((y) => x.vector.reduce((sum, value, i) => sum + value * (y.vector[i] ?? 0), 0)),
  );
  return cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
};

test('two halves of one recording are alike, two people are not', async () => {
  const jfk = samplesOf('jfk.wav');
  const [first, second] = [
    await voicesIn(jfk.subarray(0, jfk.length / 2)),
    await voicesIn(jfk.subarray(jfk.length / 2)),
  ];
  const other = await voicesIn(samplesOf('ps_0870.wav'));
  expect(likeness(first, second)).toBeGreaterThan(0.45);
  expect(likeness(first, other)).toBeLessThan(0.35);
});

test('how loud a recording is changes nothing but the energy', () => {
  const pcm = samplesOf('newhome.wav');
  const [plain, quiet] = [cepstraOf(pcm), cepstraOf(pcm.map((sample) => sample / 10))];
  const difference = plain.map((value, i) => value - (quiet[i] ?? 0));
  expect(Math.max(...difference.filter((_, i) => i % cepstra !== 0).map(Math.abs))).toBeLessThan(0.01);
  expect(difference[50 * cepstra]).toBeCloseTo(Math.log(100), 3);
});

test('silence and a click have no voices', async () => {
  const none = { frames: new Uint8Array(100), frameSeconds: 0.03 };
  expect(await embedSpeakers({ pcm: silence(3), voice: none }, network)).toEqual([]);
  expect(await embedSpeakers({ pcm: new Float32Array(100), voice: none }, network)).toEqual([]);
});
