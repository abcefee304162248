import { parse } from '@plussub/srt-vtt-parser';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/cli/errors.ts';
import { transcribeCommand } from '../../src/cli/transcribe.ts';
import type { EngineSettings } from '../../src/engines/speech/index.ts';

const settings: EngineSettings = {
  engine: 'embedded',
  url: '',
  key: '',
  serverModel: '',
  cacheFolder: '',
  modelsFolder: '',
  model: '',
  workers: 1,
};
const fixture = (name: string) => new URL(`../fixtures/audio/${name}`, import.meta.url).pathname;

async function run(
  command: typeof transcribeCommand,
  args: string[],
  changed: Partial<EngineSettings> = {},
): Promise<string> {
  const lines: string[] = [];
  await command({ engine: () => ({ ...settings, ...changed }), print: (line) => lines.push(line) })
    .exitOverride()
    .parseAsync(args, { from: 'user' });
  return lines.join('\n');
}

test('steno transcribe prints what was said, in any format, file after file', { tags: 'slow' }, async () => {
  const text = await run(transcribeCommand, [fixture('newhome.wav'), fixture('sb_spk1_snt6.wav')]);
  expect(text).toContain('We must find a new home in the stars.');
  expect(text).toContain('The pencils have all been used.');
  const srt = await run(transcribeCommand, ['--format', 'srt', fixture('newhome.wav')]);
  expect(parse(srt).entries).toHaveLength(1);
});

test('steno transcribe refuses what is no recording', async () => {
  await expect(run(transcribeCommand, [fixture('README.md')], { engine: 'fake' })).rejects.toThrow(
    /not audio/,
  );
});

test.for([
  ['a file that is not there', fixture('none.wav'), /none\.wav: there is no such file/],
  ['a folder', fixture(''), /audio\/: this is a folder/],
] as const)('steno transcribe refuses %s before it hears the others', async ([, path, sentence]) => {
  const heard: string[] = [];
  const command = transcribeCommand({
    engine: () => ({ ...settings, engine: 'fake' }),
    print: (line) => heard.push(line),
  });
  const call = command.exitOverride().parseAsync([fixture('newhome.wav'), path], { from: 'user' });
  await expect(call).rejects.toThrow(UsageError);
  await expect(call).rejects.toThrow(sentence);
  expect(heard).toEqual([]);
});
