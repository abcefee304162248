import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { isKnown, revisionsIn, tagOf } from '../../src/platform/http/etag.ts';

const asking = (header?: string) =>
  ({ request: { headers: header === undefined ? {} : { 'if-none-match': header } } }) as FastifyReply;

test.each([undefined, '*', ' * '])('If-Match: %s names no revision in particular', (header) => {
  expect(revisionsIn(header)).toBeUndefined();
});

test.each([
  [tagOf(3), [3]],
  ['"3"', [3]],
  [' W/"3.a-b_c" , "12"', [3, 12]],
  ['3', []],
  ['"x"', []],
  ['"3.a b", W/"4"', [4]],
])('If-Match: %s names the revisions %j', (header, revisions) => {
  expect(revisionsIn(header)).toEqual(revisions);
});

test.each(['*', ' * ', 'W/"a"', '"a"', '"b", W/"a"', '"b" , "a"'])(
  'If-None-Match: %s names W/"a"',
  (header) => {
    expect(isKnown(asking(header), 'W/"a"')).toBe(true);
  },
);

test.each([undefined, '', '"b"', 'a', 'W/"ab"', '"a*"'])(
  'If-None-Match: %s does not name W/"a"',
  (header) => {
    expect(isKnown(asking(header), 'W/"a"')).toBe(false);
  },
);
