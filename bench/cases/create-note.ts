import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createCorpus } from '../lib/corpus.ts';
import { ratioInTurns, throughput } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { createDataDir, startServer } from '../lib/server.ts';

const connections = 64;
const goal = 1;
const bareInserts = join(import.meta.dirname, '../bare-inserts.ts');

export const createNote: Measure = {
  name: 'POST /notes/create, durable and indexed, 64 connections, against a loop that commits one such insert at a time',
  goal: `>= ${goal}`,
  async run({ scale }) {
    const data = await createDataDir();
    const steno = await startServer(data);
    const content = createCorpus(1).sentence(60);
    const body = JSON.stringify({ title: 'A note', content });
    const seconds = Math.max(2, 8 * scale);
    const url = `${steno.url}/api/v1/notes/create`;
    const ours = () =>
      throughput({ url, method: 'POST', headers: steno.headers, body, connections, seconds });
    await ours();
    const result = await ratioInTurns(3, ours, () => loop(content, seconds));
    await steno.stop();
    data.remove();
    const detail = `${Math.round(result.ours)} against ${Math.round(result.theirs)} notes a second`;
    return { value: result.ratio, met: result.ratio >= goal, detail };
  },
};

async function loop(content: string, seconds: number): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'steno-bench-loop-'));
  const { stdout } = await promisify(execFile)(process.execPath, [
    bareInserts,
    dataDir,
    content,
    String(seconds),
  ]);
  rmSync(dataDir, { recursive: true, force: true });
  return Number(stdout);
}
