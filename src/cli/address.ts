import type { AddressInfo } from 'node:net';
import type { Config } from '../config.ts';

/** The address to show to people: the public one, or where the server listens. */
export function addressOf(bound: AddressInfo | string | undefined, config: Config): string {
  if (config.publicUrl !== '') return config.publicUrl.replace(/\/+$/, '');
  if (typeof bound === 'string') return bound;
  const host = bound?.address ?? config.host;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${bound?.port ?? config.port}`;
}
