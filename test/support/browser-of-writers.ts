import { createDocuments, type Documents } from '../../web/src/notes/documents.ts';
import type { Answer, Message, Save, Shell } from '../../web/src/notes/shell.ts';
import type { seededRandom } from './random.ts';
import { NoteServer } from './writers.ts';

type Random = ReturnType<typeof seededRandom>;

/** Time that passes only when a test says so. */
class Time {
  now = 1_000_000;
  #timers: { at: number; order: number; work: () => void }[] = [];
  #order = 0;

  after = (ms: number, work: () => void) => {
    this.#order += 1;
    const timer = { at: this.now + ms, order: this.#order, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  };

  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      await settled();
      const next = this.#timers
        .filter(({ at }) => at <= end)
        .sort((one, other) => one.at - other.at || one.order - other.order)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.now = Math.max(this.now, next.at);
      next.work();
    }
    this.now = end;
  }
}

/** Everything that waits for nothing but promises has happened. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await undefined;
}

interface Waiting {
  page: Page;
  run(): void;
}

/** A browser with several pages, a server behind a bad network, and whoever is signed in. */
export class SharedBrowser {
  readonly time = new Time();
  readonly servers = new Map<string, NoteServer>();
  readonly stored = new Map<string, string>();
  readonly tails = new Map<string, string>();
  readonly pages = new Set<Page>();
  readonly locks = new Map<string, { page: Page; onLost(): void } | undefined>();
  readonly queues = new Map<string, Waiting[]>();
  readonly wrong: string[] = [];
  /** The network and the storage may fail. */
  isRough = true;
  person: string | undefined;
  readonly random: Random;
  #ids = 0;

  constructor(random: Random) {
    this.random = random;
  }

  chance = (percent: number) => this.isRough && this.random.between(1, 100) <= percent;
  newId = () => {
    this.#ids += 1;
    return `id${this.#ids}`;
  };

  server(person: string): NoteServer {
    const server = this.servers.get(person) ?? new NoteServer();
    this.servers.set(person, server);
    return server;
  }

  /** A new page for the person who is signed in. */
  async open(): Promise<Page> {
    if (this.person === undefined) throw new Error('Nobody is signed in.');
    const page = new Page(this, this.person);
    this.pages.add(page);
    await page.start();
    return page;
  }

  free(name: string): void {
    this.locks.delete(name);
    const next = this.queues.get(name)?.shift();
    if (next) this.time.after(0, next.run);
  }
}

/** One page: its documents, and the note that its editor shows. */
export class Page {
  readonly browser: SharedBrowser;
  readonly person: string;
  readonly documents: Documents;
  /** It is gone. */
  isOver = false;
  /** It was told to leave: it must do nothing by itself. */
  #hasLeft = false;
  close = () => {};
  document: ReturnType<Documents['documentOf']> | undefined;
  readonly #listeners = new Set<(message: Message) => void>();

  constructor(browser: SharedBrowser, person: string) {
    this.browser = browser;
    this.person = person;
    this.documents = createDocuments(this.#shell());
  }

  async start(): Promise<void> {
    void this.documents.start();
    await this.browser.time.pass(1_000);
  }

  /** Shows a note, or a new one, to write in it. */
  show(key: string): void {
    this.close();
    const note = this.browser.server(this.person).notes.get(key);
    const document = this.documents.documentOf({ key, note });
    const closed = this.documents.opened(document);
    const stopped = document.write();
    this.document = document;
    this.close = () => {
      stopped();
      closed();
      this.document = undefined;
      this.close = () => {};
    };
  }

  /** The browser ends it: with a warning (`hide`), with `leave`, or without a word. */
  end(how: 'hide' | 'leave' | 'give up' | 'crash'): void {
    if (how === 'hide') this.documents.hide();
    if (how === 'leave') this.documents.leave(true);
    if (how === 'give up') this.documents.leave(false);
    this.#hasLeft = how === 'leave' || how === 'give up';
    this.isOver = true;
    this.browser.pages.delete(this);
    for (const [name, queue] of this.browser.queues)
      this.browser.queues.set(
        name,
        queue.filter(({ page }) => page !== this),
      );
    for (const [name, held] of [...this.browser.locks]) if (held?.page === this) this.browser.free(name);
  }

  #may(what: string): boolean {
    if (this.#hasLeft) this.browser.wrong.push(`${what} after leaving`);
    return !this.isOver;
  }

  #shell(): Shell {
    const { browser, person } = this;
    const { time } = browser;
    return {
      person,
      newId: browser.newId,
      clock: {
        now: () => time.now,
        after: (ms, work) => time.after(ms, () => (this.#hasLeft || !this.isOver) && work()),
      },
      storage: {
        keep: async (key, value) => {
          if (!this.#may('kept') || browser.chance(3)) return false;
          browser.stored.set(key, JSON.stringify(value));
          return true;
        },
        forget: async (key) => this.#may('forgot') && browser.stored.delete(key),
        kept: async (prefix) => startingWith(browser.stored, prefix).map(([, value]) => JSON.parse(value)),
        keepTail: (key, value) => this.#may('kept') && browser.tails.set(key, value),
        forgetTail: (key) => this.#may('forgot') && browser.tails.delete(key),
        tails: (prefix) => startingWith(browser.tails, prefix),
      },
      locks: {
        hold: (name) => {
          browser.locks.set(name, { page: this, onLost: () => {} });
          return () => browser.free(name);
        },
        whenFree: (name, work = async () => {}) =>
          new Promise((resolve) => {
            const run = () => {
              browser.locks.set(name, { page: this, onLost: () => {} });
              void work().then(() => {
                browser.free(name);
                resolve();
              });
            };
            if (!browser.locks.has(name)) return run();
            const queue = browser.queues.get(name) ?? [];
            browser.queues.set(name, [...queue, { page: this, run }]);
          }),
        claim: async (name, steal, onLost) => {
          const held = browser.locks.get(name);
          if (held && !steal) return undefined;
          const mine = { page: this, onLost };
          browser.locks.set(name, mine);
          if (held && !held.page.isOver) time.after(0, () => held.onLost());
          return () => browser.locks.get(name) === mine && browser.free(name);
        },
      },
      channel: {
        tell: (message) => {
          if (!this.#may('told')) return;
          const text = JSON.stringify(message);
          for (const page of browser.pages)
            if (page !== this) time.after(1, () => page.#hear(JSON.parse(text)));
        },
        hear: (listener) => {
          this.#listeners.add(listener);
          return () => this.#listeners.delete(listener);
        },
      },
      api: {
        save: (save) => this.#save(save),
        read: (id) =>
          new Promise((resolve) => {
            const note = browser.server(person).notes.get(id);
            time.after(20, () =>
              note && browser.person === person && !browser.chance(10)
                ? resolve({ type: 'answered', note })
                : resolve({ type: 'lost', error: 'lost' }),
            );
          }),
        show: () => {},
        signedOut: () => {},
      },
    };
  }

  #hear(message: Message): void {
    if (!this.isOver) for (const listener of this.#listeners) listener(message);
  }

  /** It may be lost, late or hang; and its answer, too. */
  #save({ id, key, ...save }: Save): Promise<Answer> {
    const { browser, person } = this;
    const { time } = browser;
    const lost: Answer = { type: 'lost', error: 'lost' };
    this.#may('sent');
    return new Promise((resolve) => {
      if (browser.chance(5)) return void time.after(15_000, () => resolve(lost));
      if (browser.chance(10)) return void time.after(10, () => resolve(lost));
      time.after(browser.chance(10) ? browser.random.between(1_000, 9_000) : 10, () => {
        // The cookie of the browser counts, and the page says whose it is.
        const answer: Answer =
          browser.person === person
            ? { type: 'answered', note: browser.server(person).take(id ?? key, { type: 'send', ...save }) }
            : { type: 'signedOut', error: 'signed out' };
        if (browser.chance(5)) return void time.after(15_000, () => resolve(lost));
        time.after(browser.chance(10) ? browser.random.between(1_000, 9_000) : 10, () =>
          resolve(browser.chance(10) ? lost : answer),
        );
      });
    });
  }
}

const startingWith = (values: Map<string, string>, prefix: string) =>
  [...values].filter(([key]) => key.startsWith(prefix));
