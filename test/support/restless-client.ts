import { Agent, request } from 'node:http';
import type { seededRandom } from './random.ts';

/** What one client knows of one of its notes. A write that was sent and not answered may have happened or not. */
export interface KnownNote {
  /** Undefined while the create was never answered; then only the content tells whether it is there. */
  id: string | undefined;
  acknowledged: string | undefined;
  /** Contents sent after the acknowledged one, without an answer. */
  sent: string[];
  deletion: 'none' | 'sent' | 'acknowledged';
}

interface Sent {
  status: number;
  body: { data?: { id: string } } | undefined;
}

/**
 * Creates, changes and deletes notes without pause until the server is gone. Every content is a sentence that is sent
 * once only and whose last word no other content has.
 */
export function createRestlessClient(
  name: string,
  random: ReturnType<typeof seededRandom>,
  keys: readonly string[],
) {
  const notes: KnownNote[] = [];
  const surprises: string[] = [];
  let number = 0;
  let turn = 0;

  function nextKey(): string {
    turn += 1;
    return keys[turn % keys.length] ?? '';
  }

  async function work(address: string): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      while (true) {
        await step(address, agent);
        client.onAnswer();
      }
    } catch {
      // The server is gone: what was on its way stays unanswered.
    } finally {
      agent.destroy();
    }
  }

  function newContent(): string {
    number += 1;
    return `${'filler sentence '.repeat(random.between(0, 40))}unique ${name}n${number}`;
  }

  async function step(address: string, agent: Agent): Promise<void> {
    const certain = notes.filter(({ id, deletion }) => id !== undefined && deletion === 'none');
    const chosen = certain[random.between(0, certain.length * 2)];
    const key = nextKey();
    if (!chosen) {
      const note: KnownNote = {
        id: undefined,
        acknowledged: undefined,
        sent: [newContent()],
        deletion: 'none',
      };
      notes.push(note);
      const content = note.sent[0];
      const { status, body } = await send(agent, key, 'POST', `${address}/api/v1/notes/create`, { content });
      if (status !== 201) surprises.push(`create ${status}`);
      note.id = body?.data?.id;
      acknowledge(note, content);
    } else if (random.between(0, 2) > 0) {
      const content = newContent();
      chosen.sent.push(content);
      const url = `${address}/api/v1/notes/${chosen.id}`;
      const { status } = await send(agent, key, 'PATCH', url, { content });
      if (status !== 200) surprises.push(`update ${status}`);
      acknowledge(chosen, content);
    } else {
      chosen.deletion = 'sent';
      const { status } = await send(agent, key, 'DELETE', `${address}/api/v1/notes/${chosen.id}`);
      if (status !== 204) surprises.push(`delete ${status}`);
      chosen.deletion = 'acknowledged';
    }
  }

  const client = { notes, surprises, nextKey, work, onAnswer() {} };
  return client;
}

function acknowledge(note: KnownNote, content: string | undefined): void {
  note.acknowledged = content;
  note.sent = [];
}

function send(agent: Agent, key: string, method: string, url: string, body?: object): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    const outgoing = request(url, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.once('error', reject);
      response.once('close', () => {
        if (!response.complete) reject(new Error('The answer was cut.'));
        else resolve({ status: response.statusCode ?? 0, body: text ? JSON.parse(text) : undefined });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body ? JSON.stringify(body) : undefined);
  });
}
