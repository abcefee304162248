import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

const types: Record<number, 'A' | 'AAAA'> = { 1: 'A', 28: 'AAAA' };

/** A name server of the test's own: `answer` gives the addresses of a name, for the type that is asked for. Nothing may be kept. */
export async function startNameServer(answer: (name: string, type: 'A' | 'AAAA') => string[]) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const [name, type] = [labels.join('.').toLowerCase(), types[query.readUInt16BE(at + 1)] ?? 'A'];
    asked.push(`${type} ${name}`);
    const found = answer(name, type).map(record);
    const head = Buffer.from(query.subarray(0, 12));
    // An answer without an error, with one question.
    head.writeUInt16BE(0x8180, 2);
    for (const [count, place] of [1, found.length, 0, 0].entries()) head.writeUInt16BE(place, 4 + 2 * count);
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...found]), port, address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

/** Points back to the name of the question; lives for zero seconds. */
function record(address: string): Buffer {
  const bytes = isIPv6(address) ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number));
  const head = Buffer.from([0xc0, 12, 0, bytes.length === 16 ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}

function ipv6Bytes(address: string): Buffer {
  const [before = '', after = ''] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
