import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '../../test/support/receiver.ts';
import { fetchOk } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { megabytes, mostMemory } from '../lib/most-memory.ts';
import { seedNotes } from '../lib/seed.ts';
import { addPerson, createDataDir, startServer } from '../lib/server.ts';
import { watchAnswers } from '../lib/slowest-answers.ts';
import { watchEvents } from '../lib/slowest-events.ts';
import {
  type Attack,
  addSlowWebhooks,
  exportsAtOnce,
  importBombs,
  manyStreams,
  manyUploads,
  slowAnswerMs,
  slowReceivers,
} from './rule-attacks.ts';

const goals = {
  healthMs: 100,
  noteMs: 250,
  computedMs: 100,
  webhookMs: 5_000,
  wordsMs: 5_000,
  added: 150_000_000,
};
type Kind = keyof typeof goals;
/** On a busy machine everybody waits for a core. Then no attack may make it worse than it is without one. */
const byTheClock: readonly Kind[] = ['healthMs', 'noteMs'];
const isKind = (name: string): name is Kind => name in goals;
const kinds = Object.keys(goals).filter(isKind);
const shown = (kind: Kind, value: number) =>
  kind === 'added' ? megabytes(value) : `${Math.round(value)} ms`;
const names: Record<Kind, string> = {
  healthMs: '/healthz',
  noteMs: 'note',
  computedMs: 'computed in a turn',
  webhookMs: 'webhook',
  wordsMs: 'live words',
  added: 'memory +',
};

/** No number of requests stops the others: one person has many of everything, another reads, hears events and speaks. */
export const ruleForMany: Measure = {
  name: 'slowest GET /healthz, in ms, while somebody has imports, exports, streams, uploads and webhooks without end',
  goal: '<= 100, no turn of the server computes > 100 ms, another person’s GET /notes/{id} <= 250 ms, their webhook <= 5 s, their live words every 5 s, memory + < 150 MB',
  async run({ scale }) {
    const data = await createDataDir();
    const [mallory, speaker] = [await addPerson(data), await addPerson(data)];
    const notes = Math.round(20_000 * scale);
    await seedNotes({ ...data, userId: mallory.userId }, notes);
    const receiver = await startReceiver((_, response) => {
      setTimeout(() => response.writeHead(204).end(), slowAnswerMs);
      return undefined;
    });
    await addSlowWebhooks(data.dataDir, mallory.userId, receiver.url);
    const steno = await startServer(data, {
      settings: { STENO_WEBHOOK_NETWORKS: '127.0.0.1' },
      watchTurns: true,
    });
    const as = ({ key }: { key: string }) => ({
      url: steno.url,
      headers: { ...steno.headers, authorization: `Bearer ${key}` },
    });
    const body = JSON.stringify({ content: 'mine' });
    const post = { method: 'POST', headers: steno.headers, body };
    const { id } = JSON.parse(await fetchOk(`${steno.url}/api/v1/notes/create`, post)).data;
    const answers = watchAnswers([
      { url: `${steno.url}/healthz`, headers: {} },
      { url: `${steno.url}/api/v1/notes/${id}`, headers: steno.headers },
    ]);
    const events = watchEvents(as(speaker));
    const attacks: Attack[] = [
      // The first is what the machine does by itself.
      ['no attack', () => sleep(10_000, 'nothing sent')],
      ...(await importBombs(as(mallory))),
      exportsAtOnce(as(mallory), notes),
      manyStreams(as(mallory), Math.round(1_500 * scale)),
      manyUploads(as(mallory), Math.round(400 * scale)),
      slowReceivers(as(mallory), receiver.received),
    ];
    await sleep(5_000);
    const seen: ({ name: string } & Record<Kind, number>)[] = [];
    for (const [name, run] of attacks) {
      await sleep(1_000);
      await Promise.all([answers.slowest(), events.slowest(), steno.longestTurns()]);
      let answered = '';
      const { before, most } = await mostMemory(steno.pid, async () => {
        answered = await run();
      });
      const [[healthMs = 0, noteMs = 0], late, turns] = await Promise.all([
        answers.slowest(),
        events.slowest(),
        steno.longestTurns(),
      ]);
      const one = { name, healthMs, noteMs, ...turns, ...late, added: most - before };
      seen.push(one);
      const figures = kinds.map((kind) => `${names[kind]} ${shown(kind, one[kind])}`).join(', ');
      const { turnMs, ownTurnMs } = turns;
      console.error(
        `${name}: ${figures}; turn by the clock ${turnMs.toFixed()} ms, of its own ${ownTurnMs.toFixed()} ms (${answered})`,
      );
    }
    await Promise.all([answers.end(), events.end()]);
    await receiver.close();
    await steno.stop();
    data.remove();
    const [quiet, ...attacked] = seen;
    const worst = kinds.map((kind) => {
      const { name, [kind]: value } = attacked.reduce((one, other) =>
        other[kind] > one[kind] ? other : one,
      );
      return { kind, name, value };
    });
    return {
      value: Math.round(worst[0]?.value ?? Number.NaN),
      met: worst.every(
        ({ kind, value }) =>
          value <= Math.max(goals[kind], byTheClock.includes(kind) ? (quiet?.[kind] ?? 0) : 0),
      ),
      detail:
        worst.map(({ kind, name, value }) => `${names[kind]} ${shown(kind, value)} (${name})`).join('; ') +
        `. Before any attack: /healthz ${quiet?.healthMs.toFixed(0)} ms, note ${quiet?.noteMs.toFixed(0)} ms`,
    };
  },
};
