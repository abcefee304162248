import Fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { createSameAnswers } from '../../src/http/same-answer.ts';

let now = 0;
let made = 0;
let state = 'now';
const app = Fastify();
const sameAnswer = createSameAnswers(() => now);
app.get('/:question', (request, reply) => {
  const { question } = request.params as { question: string };
  return sameAnswer(question === 'none' ? undefined : { address: question, state }, reply, async () => {
    made += 1;
    return { made, long: 'x'.repeat(question.startsWith('long') ? 1_000_000 : 1) };
  });
});
afterAll(() => app.close());

/** How often an answer is made when a question is asked so often. */
async function makes(question: string, times: number): Promise<number> {
  const before = made;
  for (let time = 0; time < times; time += 1) {
    const answer = await app.inject(`/${question}`);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json().made).toBeGreaterThan(0);
  }
  return made - before;
}

test('an answer is made twice, kept for a while, and made anew then', async () => {
  expect(await makes('first', 5)).toBe(2);
  expect(await makes('second', 5)).toBe(2);
  now += 599_000;
  expect(await makes('first', 1)).toBe(0);
  now += 1_000;
  expect(await makes('first', 5)).toBe(2);
});

test('an answer of another state is made anew, and takes the place of the one before', async () => {
  expect(await makes('changing', 3)).toBe(2);
  state = 'then';
  expect(await makes('changing', 3)).toBe(2);
  state = 'now';
  expect(await makes('changing', 3)).toBe(2);
});

test('what has no name is made every time', async () => {
  expect(await makes('none', 3)).toBe(3);
});

test('what was asked for last is kept, up to a size', async () => {
  for (let place = 0; place < 9; place += 1) expect(await makes(`long${place}`, 3)).toBe(2);
  expect(await makes('long8', 1)).toBe(0);
  expect(await makes('long0', 1)).toBe(1);
});
