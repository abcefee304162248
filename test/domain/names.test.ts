import { expect, test } from 'vitest';
import { audioPath, markdownPath, toMarkdown } from '../../src/domain/export.ts';
import type { Folder } from '../../src/domain/folder.ts';
import { idFor } from '../../src/domain/imported.ts';
import type { NoteWithTranscript } from '../../src/domain/note.ts';
import { endingOf, isMediaType, mediaTypeOf } from '../../src/domain/recording.ts';
import { slugOf } from '../../src/features/spaces/schema.ts';

const id = '018f0000-0000-7000-8000-0123456789ab';
const at = '2026-01-01T00:00:00.000Z';
const note = (fields: Partial<NoteWithTranscript>): NoteWithTranscript => ({
  id,
  user_id: 'u',
  client_note_id: 'c',
  title: null,
  content: '',
  content_is_transcript: false,
  enhanced_content: null,
  enhancement_template_id: null,
  enhancement_prompt: null,
  enhanced_at_content_hash: null,
  note_type: 'personal',
  folder_id: null,
  tags: [],
  pinned: false,
  participants: null,
  calendar_event_id: null,
  transcript: null,
  revision: 1,
  edit: null,
  edited_by: null,
  edited_with: null,
  edited_at: null,
  created_at: at,
  updated_at: at,
  ...fields,
});
const folder = (name: string): Folder => ({
  id,
  name,
  sort_order: 0,
  is_default: false,
  space_id: null,
  created_at: at,
  updated_at: at,
});

test.each<[string, Partial<NoteWithTranscript>, string | undefined, string]>([
  ['its title', { title: 'Plan', content: 'x' }, undefined, 'notes/Plan 0123456789ab.md'],
  ['its first line', { content: '\n  One \nTwo' }, undefined, 'notes/One 0123456789ab.md'],
  ['nothing', {}, undefined, 'notes/Untitled 0123456789ab.md'],
  ['its folder', { title: 'Plan' }, 'Work: A/B', 'notes/Work A B/Plan 0123456789ab.md'],
  ['a name of dots', { title: '..' }, undefined, 'notes/Untitled 0123456789ab.md'],
  ['a hidden name', { title: ' .env' }, undefined, 'notes/env 0123456789ab.md'],
  ['an end that Windows refuses', { title: 'Plan. ' }, undefined, 'notes/Plan 0123456789ab.md'],
  ['60 letters', { title: '😀'.repeat(61) }, undefined, `notes/${'😀'.repeat(60)} 0123456789ab.md`],
])('a note is a file with %s', (_, fields, folderName, path) => {
  expect(markdownPath(note(fields), folderName === undefined ? undefined : folder(folderName))).toBe(path);
});

test('a note in Markdown has its fields in front', () => {
  expect(toMarkdown(note({ title: 'A "plan"', content: 'Text' }), folder('Work'))).toBe(
    `---\nid: "${id}"\ntitle: "A \\"plan\\""\nfolder: "Work"\nnote_type: "personal"\npinned: false\n` +
      `created_at: "${at}"\nupdated_at: "${at}"\n---\n\nText\n`,
  );
  expect(toMarkdown(note({}), undefined)).toContain('folder: null');
});

test.each([
  ['Talk.MP3', 'audio/mpeg', 'recordings/Talk 0123456789ab.mp3'],
  ['Talk', 'audio/wav', 'recordings/Talk 0123456789ab.wav'],
  ['Talk.m4a', 'audio/mp4', 'recordings/Talk.m4a 0123456789ab.mp4'],
  ['Talk', 'application/octet-stream', 'recordings/Talk 0123456789ab.audio'],
])('%s of type %s is the file %s', (name, media_type, path) => {
  expect(audioPath({ id, name, media_type })).toBe(path);
});

test('only types of audio count as such', () => {
  expect([isMediaType('audio/mpeg'), isMediaType('text/html')]).toEqual([true, false]);
  expect(endingOf(mediaTypeOf('caf'))).toBe('caf');
});

test.each([
  ['Ärzte & Büro', 'arzte-buro'],
  ['  --A  b__2- ', 'a-b-2'],
  ['日本', '日本'],
  ['!!!', 'space'],
])('%s has the slug %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test('the same owner and text give the same id, in the form of a UUID', () => {
  expect(idFor('u', 'text')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  // Of version 0.1: another id would import everything a second time.
  expect(idFor('u', 'text')).toBe('59bdb1fe-1f87-87cc-804a-9dbc70f436fa');
  expect(new Set([idFor('u', 'text'), idFor('v', 'text'), idFor('u', 'texts')]).size).toBe(3);
});
