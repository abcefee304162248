import { z } from 'zod';
import { exportFiles, exportFormat } from '../src/domain/export.ts';
import {
  importedFolder,
  importedNote,
  importedRecording,
  importedSnippet,
  importedTranscription,
  importedWord,
} from '../src/domain/imported.ts';
import { noteRecord, recordingFiles, recordingRecord } from '../test/support/exports.ts';
import { mutated, mutatedAudio } from './audio.ts';
import { pick, type Random, type Schema, uuid, valueFor } from './values.ts';
import { type ZipPart, zipOf } from './zip.ts';

type Kind = readonly [path: string, schema: Schema];

const schemaOf = (record: z.ZodType): Schema => {
  const { properties = {} } = z.toJSONSchema(record, { io: 'input', unrepresentable: 'any' });
  return { type: 'object', properties: properties as Record<string, Schema> };
};
const kinds: readonly [Kind, ...Kind[]] = [
  [exportFiles.folders, schemaOf(importedFolder)],
  [exportFiles.notes, schemaOf(importedNote)],
  [exportFiles.transcriptions, schemaOf(importedTranscription)],
  [exportFiles.recordings, schemaOf(importedRecording)],
  [exportFiles.dictionary, schemaOf(importedWord)],
  [exportFiles.snippets, schemaOf(importedSnippet)],
];
const times = { created_at: '2026-05-01T12:00:00.000Z', updated_at: '2026-05-01T12:00:00.000Z' };
const rightOf: Record<string, (id: string) => object> = {
  [exportFiles.folders]: (id) => ({ id, name: `Folder ${id}`, sort_order: 1, is_default: false, ...times }),
  [exportFiles.notes]: (id) => noteRecord({ id, client_note_id: id }),
  [exportFiles.transcriptions]: (id) => ({
    ...{ id, user_id: id, note_id: null, status: 'completed', text: 'some words', word_count: 2 },
    ...{ source: 'api', provider: null, model: null, language: null, audio_duration_ms: 1, processing_ms: 1 },
    ...{ segments: [], ...times },
  }),
  [exportFiles.recordings]: (id) => recordingRecord({ id, state: 'done', has_audio: false }),
  [exportFiles.dictionary]: (id) => ({ id, word: `word ${id}`, source: 'manual', ...times }),
  [exportFiles.snippets]: (id) => ({ id, trigger: `trigger ${id}`, replacement: 'text', ...times }),
};

const part = (path: string, text: string): ZipPart => ({ path, bytes: Buffer.from(text) });
const manifest = part(exportFiles.manifest, JSON.stringify(exportFormat));

/** A record that is right but for a share of its fields. */
function record([path, schema]: Kind, share: number, random: Random): string {
  const fields = Object.entries(schema.properties ?? {}).filter(() => random() < share);
  const odd = fields.map(([name, field]) => [name, valueFor(field, random)]);
  return JSON.stringify({ ...rightOf[path]?.(uuid(random)), ...Object.fromEntries(odd) });
}

const oddLines = [
  '',
  ' ',
  'null',
  '[]',
  '{}',
  '{"id":',
  '\ufeff{}',
  '"\\ud800"',
  '\0',
  '{"a":1e999}',
] as const;

function lines(random: Random): ZipPart {
  const kind = pick(random, kinds);
  const share = pick(random, [0, 0, 0.05, 0.05, 0.3, 1]);
  const count = 1 + Math.floor(random() * 5);
  const made = Array.from({ length: count }, () =>
    random() < share / 2 ? pick(random, oddLines) : record(kind, share, random),
  );
  return part(kind[0], made.join(pick(random, ['\n', '\n', '\n', '\n', '\r\n', '\n\n', ' '])));
}

/** Small when sent, large when read. Made once: each takes a while. */
const bombs = new Map<string, Buffer>();
const bombsBy: Record<string, () => string> = {
  'line feeds': () => '\n'.repeat(20_000_000),
  blanks: () => ' '.repeat(20_000_000),
  'nested arrays': () => `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`,
  'nested objects': () => `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`,
  'empty arrays': () => `[${'[],'.repeat(350_000)}1]`,
  'empty records': () => '{}\n'.repeat(1_000_000),
};
function bomb(random: Random): Buffer {
  const [path] = pick(random, kinds);
  const names = Object.keys(bombsBy);
  const name = names[Math.floor(random() * names.length)] ?? '';
  const key = `${name} in ${path}`;
  const made = bombs.get(key) ?? zipOf([manifest, part(path, bombsBy[name]?.() ?? '')]);
  bombs.set(key, made);
  return made;
}

type Claims = NonNullable<ZipPart['claims']>;
const wrongClaims: readonly [Claims, ...Claims[]] = [
  { crc: 1 },
  { size: 0 },
  { size: 1 },
  { size: 0xfffffffe },
  { method: 0, size: 7 },
  { method: 99 },
];
const oddPaths = [
  '../notes.jsonl',
  '/etc/passwd',
  'data/',
  '',
  'data\\notes.jsonl',
  'é\0',
  'x'.repeat(5_000),
] as const;

function withAudio(random: Random): ZipPart[] {
  const audio = mutatedAudio(random);
  const bytes = pick(random, [audio.length, audio.length, 0, audio.length + 1, 2 ** 40]);
  const state = pick(random, ['queued', 'transcribing', 'uploading', 'done', 'failed'] as const);
  const files: [string, string | Uint8Array][] = Object.entries(
    recordingFiles(audio, { id: uuid(random), bytes, state }),
  );
  return files.map(([path, content]) => ({ path, bytes: Buffer.from(content) }));
}

/** An export whose parts are damaged, or odd, or too much. `exported` is a real one. */
export function damagedExport(exported: Uint8Array, random: Random): Buffer {
  const dice = random();
  if (dice < 0.25) return mutated(Buffer.from(exported), random);
  if (dice < 0.35) return bomb(random);
  const parts = [...(random() < 0.3 ? withAudio(random) : []), lines(random), lines(random), manifest];
  const [first] = parts;
  if (dice < 0.5 && first) first.claims = pick(random, wrongClaims);
  if (dice > 0.9) parts.push(part(pick(random, oddPaths), 'x'), ...parts.slice(0, 1));
  const zip = zipOf(parts);
  return dice < 0.6 ? mutated(zip, random) : zip;
}
