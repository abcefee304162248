import { parse } from '@plussub/srt-vtt-parser';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/cli/errors.ts';
import { transcribeCommand } from '../../src/cli/transcribe.ts';
import { readConfig } from '../../src/config.ts';
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
  args: string[],
  changed: Partial<EngineSettings> = {},
  lines: string[] = [],
): Promise<string> {
  const program = new Command().exitOverride();
  const config = () => ({ ...readConfig({}), engine: { ...settings, ...changed } });
  transcribeCommand(program, { env: {}, config, print: (line) => lines.push(line) });
  await program.parseAsync(['transcribe', ...args], { from: 'user' });
  return lines.join('\n');
}

test('steno transcribe prints what was said, in any format, file after file', { tags: 'slow' }, async () => {
  const text = await run([fixture('newhome.wav'), fixture('sb_spk1_snt6.wav')]);
  expect(text).toContain('We must find a new home in the stars.');
  expect(text).toContain('The pencils have all been used.');
  const srt = await run(['--format', 'srt', fixture('newhome.wav')]);
  expect(parse(srt).entries).toHaveLength(1);
});

test('steno transcribe refuses what is no recording', async () => {
  await expect(run([fixture('README.md')], { engine: 'fake' })).rejects.toThrow(/not audio/);
});

test.for([
  ['a file that is not there', fixture('none.wav'), /none\.wav: there is no such file/],
  ['a folder', fixture(''), /audio\/: this is a folder/],
] as const)('steno transcribe refuses %s before it hears the others', async ([, path, sentence]) => {
  const heard: string[] = [];
  const call = run([fixture('newhome.wav'), path], { engine: 'fake' }, heard);
  await expect(call).rejects.toThrow(UsageError);
  await expect(call).rejects.toThrow(sentence);
  expect(heard).toEqual([]);
});
