import { readConfig } from '../../src/config.ts';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { composeServices } from '../../src/services.ts';
import { asOperator } from '../../test/support/identity.ts';
import { teamActs } from '../../test/support/teams.ts';
import { fetchOk, latencies, median, ratioInTurns } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { createDataDir, startServer } from '../lib/server.ts';

const goal = 1.5;
const words = 20_000;
const wordsPerRequest = 200;
const wordsPerPage = 500;
const rounds = 7;
const requestsPerRound = 10;

export const dictionary: Measure = {
  name: 'POST /dictionary/create of 200 words: p50 with 20,000 words there against an empty dictionary',
  goal: `<= ${goal}`,
  async run() {
    const data = await createDataDir();
    const freshKeys = await createKeys(data.dataDir, rounds + 1);
    const { url, headers, stop } = await startServer(data);
    let added = 0;
    const addAs = (key: string) => () => {
      const asked = Array.from({ length: wordsPerRequest }, (_, index) => `Wörd number ${added + index}`);
      added += wordsPerRequest;
      return fetchOk(`${url}/api/v1/dictionary/create`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${key}` },
        body: JSON.stringify({ words: asked }),
      });
    };
    const round = async (key: string) => median(await latencies(requestsPerRound, addAs(key)));
    while (added < words) await addAs(data.key)();
    await round(freshKeys.pop() ?? '');
    const result = await ratioInTurns(
      rounds,
      () => round(data.key),
      () => round(freshKeys.pop() ?? ''),
    );

    const total = words + rounds * requestsPerRound * wordsPerRequest;
    let cursor: string | null = '';
    const pages = await latencies(total / wordsPerPage, async () => {
      const path = `/api/v1/dictionary/list?limit=${wordsPerPage}${cursor && `&cursor=${cursor}`}`;
      cursor = JSON.parse(await fetchOk(url + path, { headers })).next_cursor;
    });
    await stop();
    data.remove();

    const listed = `all ${total} listed in ${pages.length} pages of ${median(pages).toFixed(1)} ms`;
    const detail = `${result.ours.toFixed(1)} ms against ${result.theirs.toFixed(1)} ms; ${listed}`;
    return { value: result.ratio, met: result.ratio <= goal && cursor === null, detail };
  },
};

/** Each of a user of its own. */
async function createKeys(dataDir: string, count: number): Promise<string[]> {
  const services = await composeServices(readConfig({ STENO_DATA_DIR: dataDir }));
  const { close } = services;
  const { users } = asOperator(services);
  const { keys } = teamActs(services);
  const made: string[] = [];
  while (made.length < count) {
    const { id } = await users.add({
      name: `Fresh ${made.length}`,
      email: null,
      plan: 'business',
    });
    const draft = { name: 'bench', scopes: personalScopes };
    made.push((await keys.issue(operator, personalKeysOf(id), draft)).key);
  }
  await close();
  return made;
}
