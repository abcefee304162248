import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { maxPromptLength, maxSpeakers } from '../../src/domain/transcription.ts';
import { announcedLength } from '../../src/features/recordings/incoming.ts';
import { maxOverheadBytes, uploadFields } from '../../src/platform/http/upload.ts';

test.each([
  ['', undefined],
  ['1', 1],
  [' 2 ', 2],
  [`${maxSpeakers}`, maxSpeakers],
])('speakers=%j is %j', (speakers, count) => {
  expect(uploadFields.parse({ speakers }).speakers).toBe(count);
});

test.each(['0', '-1', '1.5', 'two', `${maxSpeakers + 1}`, '1e1', '0x2'])(
  'speakers=%s is refused',
  (speakers) => {
    expect(uploadFields.safeParse({ speakers }).success).toBe(false);
  },
);

test.each([
  ['auto', undefined],
  [' AUTO ', undefined],
  ['', undefined],
  ['en', 'en'],
  ['en-US', 'en-US'],
])('language=%j is %j', (language, code) => {
  expect(uploadFields.parse({ language }).language).toBe(code);
});

test('a prompt has a longest length, which counts characters, and none if it is empty', () => {
  const longest = '😀'.repeat(maxPromptLength);
  expect(uploadFields.parse({ prompt: longest }).prompt).toBe(longest);
  expect(uploadFields.safeParse({ prompt: `${longest}x` }).success).toBe(false);
  expect(uploadFields.parse({ prompt: '  ' }).prompt).toBeUndefined();
  expect(uploadFields.safeParse({ prompt: 'a\u0000' }).success).toBe(false);
});

test.each([
  [undefined, false, null],
  ['0', false, 0],
  ['900', false, 900],
  ['99999999999999999999', false, Number.MAX_SAFE_INTEGER],
  [`${maxOverheadBytes + 900}`, true, 900],
  ['900', true, 0],
])('a body of %s bytes (form: %s) announces a file of %s', (length, isForm, announced) => {
  const request = { headers: { 'content-length': length }, isMultipart: () => isForm };
  expect(announcedLength(request as unknown as FastifyRequest)).toBe(announced);
});
