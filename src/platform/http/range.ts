/** What a Range header asks for; `end` is not included. `last` asks for so many bytes at the end. */
export interface ByteRange {
  start?: number;
  end?: number;
  last?: number;
}

/** Undefined for everything: no header, several ranges, or one in other units. A server may ignore it (RFC 9110, 14.2). */
export function readRange(header: string | undefined): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first + last === '') return undefined;
  if (first === '') return { last: Number(last) };
  const start = Number(first);
  if (last === '') return { start };
  return Number(last) < start ? undefined : { start, end: Number(last) + 1 };
}
