import { startPostgres } from '../../test/support/postgres.ts';
import { load } from '../lib/load.ts';
import type { Call } from '../lib/repeat.ts';
import { type Contender, parseServer, steno } from './contenders.ts';

const connections = 32;
const rounds = 3;
const acts = ['get', 'list', 'create', 'search'] as const;
type Act = (typeof acts)[number];

/** `npm run bench -- peers`: the same notes and the same questions, on the same PostgreSQL, in turns. */
export async function comparePeers(scale: number): Promise<void> {
  const notes = Math.max(100, Math.round(2_000 * scale));
  const postgres = await startPostgres({ durable: true });
  const contenders = [
    await steno(notes),
    await steno(notes, postgres.url),
    await parseServer(notes, postgres.url),
  ];
  console.log(
    `${notes} notes, ${connections} connections (search: 8), one key, requests a second, middle of ${rounds} (p99)\n`,
  );
  console.log(`| | ${acts.join(' | ')} |\n|---|---|---|---|---|`);
  const shown = new Map<string, string[]>(contenders.map(({ name }) => [name, []]));
  for (const act of acts) {
    const rates = await inTurns(contenders, act, Math.max(2, 5 * scale));
    for (const [name, rate] of rates) shown.get(name)?.push(rate);
  }
  for (const [name, rates] of shown) console.log(`| ${name} | ${rates.join(' | ')} |`);
  for (const contender of contenders) await contender.stop();
  await postgres.stop();
}

async function inTurns(contenders: Contender[], act: Act, seconds: number): Promise<Map<string, string>> {
  const results = new Map<string, { rate: number; p99: number }[]>();
  const able = contenders.flatMap(({ name, [act]: call }) => (call ? [{ name, call }] : []));
  for (const { call } of able) await measure(call, act, 1);
  for (let round = 0; round < rounds; round += 1)
    for (const { name, call } of able)
      results.set(name, [...(results.get(name) ?? []), await measure(call, act, seconds)]);
  return new Map(
    contenders.map(({ name }) => {
      const middle = results.get(name)?.sort((one, other) => one.rate - other.rate)[Math.floor(rounds / 2)];
      return [name, middle ? `${Math.round(middle.rate)} (${middle.p99} ms)` : '–'];
    }),
  );
}

const measure = (call: Call, act: Act, seconds: number) =>
  load({ ...call, connections: act === 'search' ? 8 : connections, seconds });
