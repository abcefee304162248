import { setTimeout as sleep } from 'node:timers/promises';

const count = 8;

/** People who create, read and list notes without pause. They remember what was acknowledged and what failed. */
export function createWorkers(address: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const notes = new Map<string, string>();
  const failures: string[] = [];
  let answers = 0;
  let isStopped = false;

  async function call(
    path: string,
    body?: object,
  ): Promise<{ data: { id: string; content: string } } | undefined> {
    const response = await fetch(`${address}/api/v1/notes/${path}`, {
      headers,
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    }).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response?.ok && text !== undefined) {
      answers += 1;
      return JSON.parse(text);
    }
    const wait = response?.headers.get('retry-after');
    failures.push(`${response?.status ?? 'no answer'}${wait ? ` retry after ${wait}` : ''}`);
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
      if (read && read.data.content !== content) failures.push(`read ${read.data.content}`);
      await call('list?limit=20');
    }
  }

  const working = Promise.all(Array.from({ length: count }, (_, name) => work(name)));
  const until = async (reached: () => boolean) => {
    while (!reached()) await sleep(5);
  };

  return {
    failures: () => failures,
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
