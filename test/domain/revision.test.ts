import { describe, expect, test } from 'vitest';
import { keepsRevision } from '../../src/domain/revision.ts';

const text = 'It was the best of times, it was the worst of times.';
const written = { title: 'T', content: text, enhanced_content: null, edit: { session: 'mine', seq: 7 } };
const by = (session?: string) => ({
  edit: session === undefined ? null : { session, seq: 8 },
  edited_by: 'somebody',
  edited_with: null,
});

describe('the text that a change replaces', () => {
  test.each([
    ['of another session', { content: `${text} More.` }, by('another')],
    ['replaced by a call without a session', { content: `${text} More.` }, by()],
    ['of which a third goes', { content: text.slice(0, 34) }, by('mine')],
    ['of which exactly a third goes', { content: '123456' }, by('mine'), '123456789'],
    ['of which a third of equal letters goes', { content: 'aaaaaa' }, by('mine'), 'aaaaaaaaa'],
    ['of which the middle goes', { content: text.slice(0, 10) + text.slice(30) }, by('mine')],
    ['replaced by one of the same length', { content: 'x'.repeat(text.length) }, by('mine')],
    ['that becomes empty', { content: '' }, by('mine')],
    ['that becomes blank', { content: ' '.repeat(text.length) }, by('mine')],
    ['whose title goes', { title: null }, by('mine')],
  ])('is kept if it is one %s', (_name, changes, writer, content = text) => {
    expect(keepsRevision({ ...written, content }, changes, writer)).toBe(true);
  });

  test.each([
    ['its own session adds to it', { content: `${text} More.` }, by('mine')],
    ['its own session takes less than a third', { content: text.slice(0, 36) }, by('mine')],
    [
      'its own session takes less than a third of equal letters',
      { content: 'aaaaaaa' },
      by('mine'),
      'aaaaaaaaa',
    ],
    ['its own session adds a text where there was none', { enhanced_content: 'E' }, by('mine')],
    ['nothing of it changes', { content: text, title: 'T' }, by('another')],
    ['something else changes', { pinned: true }, by('another')],
  ])('is not kept when %s', (_name, changes, writer, content = text) => {
    expect(keepsRevision({ ...written, content }, changes, writer)).toBe(false);
  });

  test('is not kept if it is blank, and is kept if nobody knows its session', () => {
    const blank = { ...written, title: ' ', content: '\n' };
    expect(keepsRevision(blank, { content: text }, by('another'))).toBe(false);
    expect(keepsRevision({ ...written, edit: null }, { content: 'x' }, by())).toBe(true);
  });
});
