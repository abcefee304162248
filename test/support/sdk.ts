import { createSteno, type StenoOptions } from '@steno/sdk';
import { startSteno, type TestOptions } from './steno.ts';

/** A server that listens, and clients of it that send nothing it does not know. */
export async function startForSdk(options: TestOptions = {}) {
  const steno = await startSteno({ bare: true, ...options });
  const origin = await steno.app.listen({ host: '127.0.0.1', port: 0 });
  return {
    steno,
    origin,
    clientOf: (key: string, more: StenoOptions = {}) =>
      createSteno({ url: origin, key, headers: { 'steno-strict': '1' }, ...more }),
    close: () => steno.close(),
  };
}
