import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import {
  type ImportSource,
  importedFolder,
  importedNote,
  importedSnippet,
  importedTranscription,
  importedWord,
} from '../../domain/imported.ts';

const maxTries = 8;
const timeoutMs = 60_000;
const maxWaitSeconds = 3_600;

interface Options {
  /** Waits for so many seconds; tests do not. */
  wait?: (seconds: number) => Promise<unknown>;
}

/** Another server of the contract, read with the user's own key. Respects its rate limits and retries after faults. */
export function serverSource(
  address: string,
  key: string,
  { wait = (seconds) => sleep(seconds * 1000) }: Options = {},
): ImportSource {
  async function get(path: string): Promise<unknown> {
    const url = new URL(`/api/v1${path}`, address);
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask(url);
      if (answer instanceof Response && answer.ok) return answer.json();
      const status = answer instanceof Response ? answer.status : 503;
      const isPassing = status === 429 || status >= 500;
      if (!isPassing || attempt === maxTries) throw refused(url, answer);
      // A rate limit is no fault, so there is no limit on such retries.
      if (status === 429) attempt -= 1;
      const told = answer instanceof Response ? Number(answer.headers.get('retry-after') ?? 0) : 0;
      await wait(Math.min(told > 0 ? told : 2 ** attempt / 4, maxWaitSeconds));
    }
  }

  const ask = (url: URL) =>
    fetch(url, {
      headers: { authorization: `Bearer ${key}` },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause: unknown) => cause);

  async function* pages<Schema extends z.ZodType>(path: string, schema: Schema) {
    const page = z.object({
      data: z.array(schema),
      has_more: z.boolean(),
      next_cursor: z.string().nullable(),
    });
    const separator = path.includes('?') ? '&' : '?';
    for (let cursor: string | null = ''; cursor !== null; ) {
      const more: string = cursor === '' ? '' : `${separator}cursor=${encodeURIComponent(cursor)}`;
      const { data, has_more, next_cursor } = page.parse(await get(`${path}${more}`));
      yield* data;
      cursor = has_more ? next_cursor : null;
    }
  }

  return {
    async *folders() {
      yield* z.object({ data: z.array(importedFolder) }).parse(await get('/folders/list')).data;
    },
    // The contract has no tags. Notes of another Steno name theirs.
    async *tags() {},
    async *notes(isKnown) {
      // Lists have no transcripts, so each note is read, but only once.
      for await (const note of pages('/notes/list?limit=100', importedNote))
        yield (await isKnown(note.id))
          ? note
          : z.object({ data: importedNote }).parse(await get(`/notes/${note.id}`)).data;
    },
    transcriptions: () => pages('/transcriptions/list?limit=100&include=segments', importedTranscription),
    dictionary: () => pages('/dictionary/list?limit=500', importedWord),
    // The contract has no recordings.
    async *recordings() {},
    snippets: () => pages('/snippets/list?limit=500', importedSnippet),
  };
}

/** The message of the other server says what is missing, for example a scope. */
function refused({ pathname }: URL, answer: unknown): AppError {
  if (!(answer instanceof Response))
    return new AppError('service_unavailable', 'The other server does not answer; check --from.', {
      cause: answer,
    });
  return new AppError(
    'validation_error',
    `The other server answered ${answer.status} to GET ${pathname}. Check --key and its scopes, then run the import again.`,
  );
}
