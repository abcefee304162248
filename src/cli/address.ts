import type { AddressInfo } from 'node:net';
import type { Config } from '../config.ts';

/** Where the server listens, as it is: `http://0.0.0.0:8787` is every address of the machine. */
export function boundAddress(bound: AddressInfo | string | undefined, { host, port }: Config): string {
  if (typeof bound === 'string') return bound;
  return `http://${bracketed(bound?.address ?? host)}:${bound?.port ?? port}`;
}

/** The address for links: the public one, or one that works on this machine. */
export function addressOf(bound: AddressInfo | string | undefined, config: Config): string {
  if (config.publicUrl !== '') return config.publicUrl.replace(/\/+$/, '');
  return boundAddress(bound, config).replace(/\/\/(0\.0\.0\.0|\[::\])(?=:\d+$)/, '//localhost');
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);
