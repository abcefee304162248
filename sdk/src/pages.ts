import type { Answer, PathsWith, Steno } from './client.ts';
import type { paths } from './schema.d.ts';

/** The calls that answer with a page of a list. */
export type ListPath = {
  [Path in PathsWith<'get'>]: Answer<Path, 'get'> extends { data: unknown[]; has_more: boolean }
    ? Path
    : never;
}[PathsWith<'get'>];
type Page<Path extends ListPath> = Answer<Path, 'get'>;
type Item<Path extends ListPath> = Page<Path> extends { data: (infer Found)[] } ? Found : never;

interface ListOptions<Path extends ListPath> {
  params?: Omit<paths[Path]['get']['parameters'], 'header' | 'cookie'>;
  signal?: AbortSignal | undefined;
}

interface AnyPage {
  data: unknown[];
  has_more: boolean;
  next_cursor: string | null;
}

async function* readPages(
  steno: Steno,
  path: ListPath,
  { params, signal }: { params?: object; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<AnyPage> {
  // All lists page alike, which the type of one call cannot say.
  const get = steno.GET as unknown as (path: string, init: object) => Promise<AnyPage>;
  const { query, ...others } = Object(params);
  // A page of changes says where to go on later, too.
  const name = path === '/api/v1/changes' ? 'since' : 'cursor';
  for (let place = {}; ; ) {
    const page = await get(path, {
      params: { ...others, query: { ...query, ...place } },
      ...(signal ? { signal } : {}),
    });
    yield page;
    if (!page.has_more) return;
    place = { [name]: page.next_cursor };
  }
}

async function* readItems(...given: Parameters<typeof readPages>): AsyncGenerator<unknown> {
  for await (const { data } of readPages(...given)) yield* data;
}

/** Page after page of a list. A loop that ends early reads no more of them. */
export const pages = readPages as <Path extends ListPath>(
  steno: Steno,
  path: Path,
  options?: ListOptions<Path>,
) => AsyncGenerator<Page<Path>>;

/** Each record of a list. */
export const list = readItems as <Path extends ListPath>(
  steno: Steno,
  path: Path,
  options?: ListOptions<Path>,
) => AsyncGenerator<Item<Path>>;
