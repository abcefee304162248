/** Elements of Matroska (RFC 9559), by their ids. */
const ids = { segment: 0x18538067, seekHead: 0x114d9b74, cues: 0x1c53bb6b, cluster: 0x1f43b675 };
const inCluster = { timestamp: 0xe7, simpleBlock: 0xa3, blockGroup: 0xa0 };
/** Of a length that is not known in advance: eight bytes. */
const openSegment = Buffer.from('1853806701ffffffffffffff', 'hex');
const longestIdBytes = 4;
const longestSizeBytes = 8;
/** A picture of a video is smaller. What is larger goes on as it is. */
const largestElementBytes = 16 * 1_048_576;

/**
 * A browser begins a cluster with each part that it sends, and leaves its length open. mediabunny reads a cluster when it
 * is complete, so words would come a part later. Here the blocks that have arrived become a cluster of their own. What
 * names places in the file is left out, because the places are others.
 */
export async function* closedClusters(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array();
  let timestamp: Uint8Array = new Uint8Array();
  let isUnknown = false;
  for await (const part of parts) {
    held = held.length === 0 ? part : Buffer.concat([held, part]);
    const done: Uint8Array[] = [];
    let blocks: Uint8Array[] = [];
    const closeCluster = () => {
      if (blocks.length > 0) done.push(clusterOf([timestamp, ...blocks]));
      blocks = [];
    };
    let at = 0;
    while (!isUnknown) {
      const element = matroskaElementAt(held, at);
      if (element === null) break;
      const { id, start, end } = element;
      if (id === ids.segment) done.push(openSegment);
      if (id === ids.segment || id === ids.cluster) {
        closeCluster();
        at = start;
        continue;
      }
      isUnknown = id === null || end - start > largestElementBytes;
      if (isUnknown || end > held.length) break;
      const whole = held.subarray(at, end);
      if (id === inCluster.timestamp) timestamp = whole;
      else if (id === inCluster.simpleBlock || id === inCluster.blockGroup) blocks.push(whole);
      // Those within a cluster have shorter ids, and nothing else there is needed.
      else if (id !== null && id > 0xffffff) {
        closeCluster();
        if (id !== ids.seekHead && id !== ids.cues) done.push(whole);
      }
      at = end;
    }
    closeCluster();
    if (isUnknown) done.push(held.subarray(at));
    held = held.subarray(isUnknown ? held.length : at);
    yield* done;
  }
  if (held.length > 0) yield held;
}

interface MatroskaElement {
  /** Null where there can be none. */
  id: number | null;
  start: number;
  /** Without end where the length is left open. */
  end: number;
}

/** Null when its head is not there yet. */
function matroskaElementAt(bytes: Uint8Array, at: number): MatroskaElement | null {
  if (at >= bytes.length) return null;
  const idLength = lengthOf(bytes[at]);
  const sizeAt = at + idLength;
  if (idLength <= longestIdBytes && sizeAt >= bytes.length) return null;
  const sizeLength = lengthOf(bytes[sizeAt]);
  if (idLength > longestIdBytes || sizeLength > longestSizeBytes) return { id: null, start: at, end: at };
  const start = sizeAt + sizeLength;
  if (start > bytes.length) return null;
  // Without the bit that tells the length; eight bytes with it would be more than a number holds exactly.
  const first = (bytes[sizeAt] ?? 0) - (0x100 >> sizeLength);
  const size = first * 256 ** (sizeLength - 1) + numberAt(bytes, sizeAt + 1, start);
  const isOpen = size >= 2 ** (7 * sizeLength) - 1;
  return {
    id: numberAt(bytes, at, sizeAt),
    start,
    end: isOpen ? Number.POSITIVE_INFINITY : start + size,
  };
}

/** The first bit that is set tells the length of a number. */
const lengthOf = (first = 0) => Math.clz32(first) - 23;

function numberAt(bytes: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) number = number * 256 + (bytes[at] ?? 0);
  return number;
}

function clusterOf(elements: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(elements);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(ids.cluster);
  // Four bytes for the length, of which the first bits say so.
  head.writeUInt32BE(0x10000000 + body.length, 4);
  return Buffer.concat([head, body]);
}
