import { once } from 'node:events';
import type pg from 'pg';

/** What `pg` calls on a query of another make; its types name only `submit`. */
interface Wire {
  query(text: string): void;
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
  readonly stream: NodeJS.WritableStream & { writableNeedDrain: boolean };
}

interface Handlers {
  take?(chunk: Buffer): void;
  give?(wire: Wire): Promise<void>;
}

/** `copy … to stdout` and `copy … from stdin`, which the driver leaves to others. Resolves with the number of rows. */
function runCopy(client: pg.Client, text: string, { take, give }: Handlers): Promise<number> {
  return new Promise((resolve, reject) => {
    let failure: unknown;
    let rows = 0;
    const ignore = () => {};
    const query = {
      submit: (wire: Wire) => wire.query(text),
      handleCopyInResponse: (wire: Wire) =>
        void give?.(wire).then(
          () => wire.endCopyFrom(),
          (cause: unknown) => {
            failure = cause;
            wire.sendCopyFail('the backup cannot be read');
          },
        ),
      // A part of the driver's buffer, which it uses again for what comes next.
      handleCopyData: ({ chunk }: { chunk: Buffer }) => take?.(Buffer.from(chunk)),
      handleError: (cause: unknown) => reject(failure ?? cause),
      handleReadyForQuery: () => resolve(rows),
      handleCommandComplete: ({ text }: { text: string }) => {
        rows = Number(text.replace('COPY ', ''));
      },
      handleRowDescription: ignore,
      handleDataRow: ignore,
      handleEmptyQuery: ignore,
      handlePortalSuspended: ignore,
      callback: ignore,
    };
    client.query(query as unknown as pg.Submittable);
  });
}

export const copyOut = (client: pg.Client, text: string, take: (chunk: Buffer) => void) =>
  runCopy(client, text, { take });

export const copyIn = (client: pg.Client, text: string, chunks: AsyncIterable<Uint8Array>) =>
  runCopy(client, text, {
    async give(wire) {
      for await (const chunk of chunks) {
        wire.sendCopyFromChunk(chunk);
        if (wire.stream.writableNeedDrain) await once(wire.stream, 'drain');
      }
    },
  });
