import { setTimeout as sleep } from 'node:timers/promises';

const count = 8;

/** People who create, read and list notes without pause. They remember what was acknowledged and what failed. */
export function createWorkers(address: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const notes = new Map<string, string>();
  const failures: { call: number; outcome: string }[] = [];
  let calls = 0;
  let answers = 0;
  let isStopped = false;

  async function call(
    path: string,
    body?: object,
  ): Promise<{ data: { id: string; content: string } } | undefined> {
    calls += 1;
    const call = calls;
    try {
      const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      const response = await fetch(`${address}/api/v1/notes/${path}`, { headers, ...sent });
      const text = await response.text();
      if (response.ok) {
        answers += 1;
        return JSON.parse(text);
      }
      const wait = response.headers.get('retry-after');
      failures.push({ call, outcome: `${response.status}${wait ? ` retry after ${wait}` : ''}` });
    } catch (cause) {
      failures.push({ call, outcome: `no answer: ${cause instanceof Error ? cause.cause : cause}` });
    }
    // Nobody hammers a server that is down.
    await sleep(20);
    return undefined;
  }

  async function work(name: number): Promise<void> {
    for (let turn = 0; !isStopped; turn += 1) {
      const content = `note ${turn} of ${name}`;
      const created = await call('create', { content });
      if (!created) continue;
      notes.set(created.data.id, content);
      const read = await call(created.data.id);
      if (read && read.data.content !== content)
        failures.push({ call: calls, outcome: `read ${read.data.content}` });
      await call('list?limit=20');
    }
  }

  const working = Promise.all(Array.from({ length: count }, (_, name) => work(name)));
  const until = async (reached: () => boolean) => {
    while (!reached()) await sleep(5);
  };

  return {
    /** How many calls were sent so far. */
    sent: () => calls,
    /** What failed of the calls that were sent after so many. */
    failures: (after = 0) => failures.filter(({ call }) => call > after).map(({ outcome }) => outcome),
    async answered(more: number): Promise<void> {
      const goal = answers + more;
      await until(() => answers >= goal);
    },
    async failed(more: number): Promise<void> {
      const goal = failures.length + more;
      await until(() => failures.length >= goal);
    },
    async stop(): Promise<void> {
      isStopped = true;
      await working;
    },
    /** Acknowledged notes that cannot be read, or read differently. */
    async lostNotes(): Promise<string[]> {
      const lost: string[] = [];
      for (const [id, content] of notes) if ((await call(id))?.data.content !== content) lost.push(id);
      return lost;
    },
  };
}
