import type { Answer, Client } from './client.ts';
import type { Rule } from './rules.ts';
import { failure } from './shapes.ts';

/** What a check may use. */
export interface Target {
  baseUrl: string;
  /** The personal key. */
  api: Client;
  anonymous: Client;
  workspace: Client;
  session: Client;
  /** Calls with any other credential. */
  as(key: string): Client;
  /** Of the personal key, from GET /me. */
  scopes: ReadonlySet<string>;
  plan: string;
  /** Every answer so far, whoever asked. */
  seen: readonly Answer[];
  /** Runs at the end, last one first: what a check made goes again. */
  later(undo: () => Promise<unknown>): void;
}

/** A scope of the personal key, or one of the two credentials that are optional. */
export type Need = 'the workspace key' | 'the session' | `${string}:${string}`;

export interface Check {
  /** The promise in the words of the specification. */
  sentence: string;
  needs: readonly Need[];
  run(target: Target): Promise<void>;
}

/** A promise that nobody outside the server can check, and why. */
export interface Unseen {
  sentence: string;
  why: string;
}

export interface Part {
  name: string;
  checks: readonly Check[];
  unseen: readonly Unseen[];
}

export const check = (sentence: string, needs: readonly Need[], run: Check['run']): Check => ({
  sentence,
  needs,
  run,
});

export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

export function expectSame(actual: unknown, wanted: unknown, what: string): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(wanted)];
  expect(one === other, `${what} is ${one}, should be ${other}`);
}

/** The status, and the body by the rule. */
export function expectAnswer(answer: Answer, status: number, rule?: Rule): Answer {
  const { place } = answer;
  expect(
    answer.status === status,
    `${place} answered ${answer.status} ${answer.text.slice(0, 200)}, should be ${status}`,
  );
  const fault = rule?.(answer.body);
  expect(fault === undefined, `${place} should give ${fault}`);
  return answer;
}

export function expectError(answer: Answer, status: number, code: string): Answer {
  expectAnswer(answer, status, failure);
  expectSame(answer.body.error.code, code, `code of ${answer.place}`);
  return answer;
}

export const invalid = (answer: Answer) => expectError(answer, 400, 'validation_error');

/** Every one of these must be refused as `validation_error`. */
export async function expectInvalid(
  client: Client,
  method: string,
  path: string,
  bodies: readonly unknown[],
) {
  for (const body of bodies) {
    const answer = await client.call(method, path, { body });
    expect(
      answer.status === 400 && answer.body?.error?.code === 'validation_error',
      `${method} ${path} with ${JSON.stringify(body).slice(0, 100)} answered ${answer.status}, should be 400 validation_error`,
    );
  }
}

/** Two pages of one item, with no item twice; then the last page of the largest size. */
export async function expectPages(client: Client, path: string, largest: number): Promise<void> {
  const ids = new Set<string>();
  let cursor = '';
  for (let page = 0; page < 2; page += 1) {
    const { body } = expectAnswer(await client.call('GET', `${path}limit=1${cursor}`), 200);
    expectSame(body.data.length, 1, 'number of items with limit=1');
    ids.add(body.data[0].id);
    if (page === 0) expect(body.has_more && typeof body.next_cursor === 'string', 'no second page');
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  expectSame(ids.size, 2, 'number of different items on two pages');
  await expectLastPage(client, path, largest);
}

async function expectLastPage(client: Client, path: string, largest: number): Promise<void> {
  const cursors = new Set<string>();
  let cursor = '';
  for (;;) {
    const { body } = expectAnswer(await client.call('GET', `${path}limit=${largest}${cursor}`), 200);
    if (!body.has_more) {
      expectSame(body.next_cursor, null, 'next_cursor of the last page');
      return;
    }
    expect(!cursors.has(body.next_cursor), 'a cursor came twice');
    cursors.add(body.next_cursor);
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}

/** `limit` takes 1 to the largest and nothing else; without it the page is as with the default. */
export async function expectLimits(client: Client, path: string, largest: number, usual: number) {
  for (const limit of [0, largest + 1, -1, 1.5, 'ten', ''])
    invalid(await client.call('GET', `${path}limit=${limit}`));
  for (const limit of [1, largest]) expectAnswer(await client.call('GET', `${path}limit=${limit}`), 200);
  const ids = async (query: string) =>
    expectAnswer(await client.call('GET', path + query), 200).body.data.map(
      (item: { id: string }) => item.id,
    );
  expectSame(await ids(''), await ids(`limit=${usual}`), 'the page without limit');
  invalid(await client.call('GET', `${path}cursor=nonsense!`));
}

export const nobody = '01980000-0000-7000-8000-000000000000';
