import { expect, test } from 'vitest';
import { readRange } from '../../src/platform/http/range.ts';

test.each([
  ['bytes=0-', { start: 0 }],
  ['bytes=5-9', { start: 5, end: 10 }],
  ['bytes=5-5', { start: 5, end: 6 }],
  ['bytes=-3', { last: 3 }],
])('%s is a range', (header, range) => {
  expect(readRange(header)).toEqual(range);
});

test.each([undefined, '', 'bytes=-', 'bytes=5-4', 'bytes=0-1,4-5', 'bytes=a-b', 'lines=0-1', 'bytes 0-1'])(
  '%s asks for everything',
  (header) => {
    expect(readRange(header)).toBeUndefined();
  },
);
