import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './client.ts';
import type { Fault } from './fault.ts';
import { type Scene, withServer } from './scene.ts';

const preload = new URL('./shift-clock.ts', import.meta.url).href;
const hourMs = 3_600_000;

/** A server whose clock `set` moves by so many hours. */
export function withClock<Result>(
  options: Parameters<typeof withServer>[0],
  attempt: (scene: Scene, set: (hours: number) => void) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'steno-clock-'));
  const clock = join(folder, 'shift');
  const set = (hours: number) => writeFileSync(clock, String(hours * hourMs));
  set(0);
  const settings = { NODE_OPTIONS: `--import=${preload}`, FAULTS_CLOCK: clock, ...options.settings };
  return withServer({ ...options, settings }, (scene) => attempt(scene, set)).finally(() =>
    rmSync(folder, { recursive: true }),
  );
}

export const clockJumps: Fault = {
  fault: 'the clock jumps, both ways',
  promise: 'nothing acknowledged is lost or goes back in time, and everything works',
  run: ({ random, rounds }) =>
    withClock({}, async ({ client, server: { address } }, set) => {
      const { data: note } = await client.write(address);
      let [refused, backwards, unserved, jumps] = [0, 0, 0, 0];
      let last = note.updated_at;
      const far = Array.from({ length: rounds }, () => random.between(1, 24 * 20));
      for (const hours of far.flatMap((ahead) => [ahead, -ahead, 0])) {
        set(hours);
        jumps += 1;
        // The server has seen the jump when a new note is dated by it.
        await until(async () => {
          const { data, status } = await client.write(address);
          if (status !== 201) refused += 1;
          return Math.abs(Date.parse(data?.created_at) - Date.now() - hours * hourMs) < hourMs / 2;
        });
        const content = `changed ${jumps} times`;
        const { data, status } = await client.call(address, 'PATCH', `/notes/${note.id}`, { content });
        if (status !== 200) refused += 1;
        else client.acknowledged.set(note.id, content);
        if (!(data?.updated_at > last)) backwards += 1;
        last = data?.updated_at;
        if ((await client.transcribe(address)).status !== 200) unserved += 1;
      }
      const lost = await client.lost(address);
      return {
        held: refused + backwards + unserved + lost === 0,
        figure: `${jumps} jumps of up to 20 days; ${refused} refused, ${unserved} not transcribed, ${backwards} went back in time, ${lost} of ${client.acknowledged.size} lost`,
      };
    }),
};

const perMinute = 10;

export const limitAfterJump: Fault = {
  fault: 'the clock jumps back when a limit is used up',
  promise: 'the key waits two minutes at most, however far the clock was ahead',
  run: ({ random }) =>
    withClock({ requestsPerMinute: perMinute }, async ({ client, server: { address } }, set) => {
      const days = random.between(2, 20);
      set(days * 24);
      const ask = () => client.call(address, 'GET', '/me');
      await until(async () => Number((await ask()).retryAfter) > 0);
      set(0);
      // The jump is seen when the answer is no longer that of the used-up minute.
      const waits: number[] = [];
      await until(async () => {
        const { status, retryAfter = 0 } = await ask();
        waits.push(retryAfter);
        return status === 200;
      }, 150_000);
      const longest = Math.max(...waits);
      return {
        held: longest <= 120,
        figure: `${days} days ahead and back; told to wait ${longest} s at most`,
      };
    }),
};
