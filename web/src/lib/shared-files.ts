/** Recordings that another app shared with this one, until the person says what to do with them. See web/worker. */
const name = 'steno-shared';

export async function sharedFiles(): Promise<File[]> {
  const cache = await caches.open(name);
  const answers = await Promise.all((await cache.keys()).map((request) => cache.match(request)));
  return Promise.all(
    answers
      .filter((answer) => answer !== undefined)
      .map(async (answer) => {
        const type = answer.headers.get('content-type') ?? '';
        return new File([await answer.blob()], decodeURIComponent(answer.headers.get('x-name') ?? ''), {
          type,
        });
      }),
  );
}

export const forgetSharedFiles = () => caches.delete(name);
