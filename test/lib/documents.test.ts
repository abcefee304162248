import { expect, test } from 'vitest';
import { type Page, SharedBrowser } from '../support/browser-of-writers.ts';
import { seededRandom } from '../support/random.ts';
import { wordsOf } from '../support/writers.ts';

const people = ['ada', 'eve'] as const;
const actionsPerRun = 60;

/** Two people, one after the other, with up to two pages, in one browser. What they wrote and did not give up is safe. */
async function afternoon(seed: number) {
  const random = seededRandom(seed);
  const browser = new SharedBrowser(random);
  /** What each wrote, without what they gave up or a crash took. */
  const written = new Map<string, Set<string>>(people.map((person) => [person, new Set()]));
  let [words, signOuts, takeOvers, crashes] = [0, 0, 0, 0];
  const of = (person: string) => written.get(person) ?? new Set();
  const one = <Value>(values: readonly Value[]) => values[random.between(0, values.length - 1)];
  const kept = (person: string) =>
    [...browser.stored, ...browser.tails]
      .filter(([key]) => key.startsWith(`${person}/`))
      .map(([, value]) => value)
      .join(' ');
  const isSafe = (person: string, word: string) =>
    new RegExp(`\\b${word}\\b`).test(`${kept(person)} ${browser.server(person).texts()}`);
  /** A page that dies tells nobody; what is not kept yet is gone. */
  function keepOnlySafe(person: string): void {
    for (const word of of(person)) if (!isSafe(person, word)) of(person).delete(word);
  }
  async function signIn(person: string): Promise<void> {
    const before = [...browser.pages];
    browser.person = person;
    for (const page of before) if (page.person === person) page.documents.wake();
    // A page finds out late that it is another person's now.
    for (const page of before.filter((one) => one.person !== person)) {
      browser.time.after(random.between(0, 3_000), () => !page.isOver && page.end('leave'));
    }
    await browser.open();
  }
  function write(page: Page): void {
    const { document } = page;
    if (!document || document.view.get().isElsewhere || document.view.get().theirs) return;
    words += 1;
    const word = `${page.person}${words}`;
    const texts = document.doc.mine.content.split(' ').filter(Boolean);
    texts.splice(random.between(0, texts.length), 0, word);
    of(page.person).add(word);
    document.edit({ content: texts.join(' ') });
  }

  await signIn('ada');
  for (let actions = 0; actions < actionsPerRun; actions += 1) {
    const page = one([...browser.pages]);
    const what = random.between(1, 100);
    const notes = [...browser.server(page?.person ?? '').notes.keys()];
    if (!page) await signIn(one(people) ?? 'ada');
    else if (what <= 40) write(page);
    else if (what <= 55) await browser.time.pass(random.between(10, 1_500));
    else if (what <= 60) await browser.time.pass(random.between(1_000, 20_000));
    else if (what <= 66) page.show(one([...notes, browser.newId()]) ?? browser.newId());
    else if (what <= 69) page.close();
    else if (what <= 73 && browser.person && browser.pages.size < 3) {
      const open = page.document?.name;
      const second = await browser.open();
      if (open && second.person === page.person && notes.includes(open)) second.show(open);
      await browser.time.pass(5);
    } else if (what <= 77) {
      const reader = [...browser.pages].find(({ document }) => document?.view.get().isElsewhere);
      if (reader) takeOvers += 1;
      void reader?.document?.writeHere();
    } else if (what <= 80) page.documents.hide();
    else if (what <= 83) {
      page.end('hide');
    } else if (what <= 86) {
      await browser.time.pass(0);
      page.end('crash');
      keepOnlySafe(page.person);
      crashes += 1;
    } else if (what <= 90) browser.person = undefined;
    else if (what <= 95) await signIn(one(people) ?? 'ada');
    else if (browser.person === page.person) {
      // They agree to delete what is not sent: in all their pages and in the browser, and nothing of the other person.
      signOuts += 1;
      const { person } = page;
      const others = kept(person === 'ada' ? 'eve' : 'ada');
      for (const own of [...browser.pages]) if (own.person === person) own.end('give up');
      for (const values of [browser.stored, browser.tails])
        for (const key of [...values.keys()]) if (key.startsWith(`${person}/`)) values.delete(key);
      browser.person = undefined;
      await browser.time.pass(20_000);
      if (kept(person) !== '') browser.wrong.push(`${person} is still kept`);
      expect(kept(person === 'ada' ? 'eve' : 'ada').length >= Math.min(1, others.length)).toBe(true);
      keepOnlySafe(person);
    }
  }
  // In the end everybody comes back, the network works, and everything arrives.
  browser.isRough = false;
  for (const page of [...browser.pages]) page.end(page.isOver ? 'crash' : 'leave');
  for (const person of people) {
    browser.person = person;
    const page = await browser.open();
    await browser.time.pass(120_000);
    const left = page.documents.unsaved.get().map(({ phase, content }) => `${phase}: ${content}`);
    if (left.length > 0) browser.wrong.push(`${person} has unsaved ${left.join(', ')}`);
    page.end('leave');
  }
  return { browser, written, words, signOuts, takeOvers, crashes, kept };
}

test('in 2,000 afternoons of two people in one browser, nothing is lost or doubled, and nothing goes to the other', async () => {
  const total = { words: 0, signOuts: 0, takeOvers: 0, crashes: 0 };
  for (let seed = 1; seed <= 2_000; seed += 1) {
    const { browser, written, kept, ...counts } = await afternoon(seed);
    for (const person of people) {
      const there = browser.server(person).texts().split(/\s+/);
      const gone = [...(written.get(person) ?? [])].filter((word) => !there.includes(word));
      const words = [...browser.server(person).notes.values()].map(wordsOf);
      const doubled = words.flatMap((all) => all.filter((word, at) => all.indexOf(word) !== at));
      const other = person === 'ada' ? 'eve' : 'ada';
      const foreign = [...there, ...kept(person).split(/\W+/)].filter((word) => word.startsWith(other));
      expect({ seed, person, gone, doubled, foreign, wrong: browser.wrong }).toEqual({
        seed,
        person,
        gone: [],
        doubled: [],
        foreign: [],
        wrong: [],
      });
    }
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += counts[key];
  }
  // The test is about these: without them it would show nothing.
  expect(total.words).toBeGreaterThan(10_000);
  expect(total.takeOvers).toBeGreaterThan(50);
  for (const key of ['signOuts', 'crashes'] as const) expect(total[key]).toBeGreaterThan(500);
});
