import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { includesAddress } from '../lib/network.ts';

/** Not of the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry. */
const privateNetworks = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // IPv6 addresses that embed an IPv4 address (translated, 6to4, Teredo) could lead to a private one. A mapped one,
  // ::ffff:10.0.0.1, is checked against the list above.
  ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/23'],
  ...[
    '100::/64',
    '2001:db8::/32',
    '3fff::/20',
    '5f00::/16',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
  ],
];

export const isPrivate = (address: string) => includesAddress(privateNetworks, address);

/** All addresses of a name; empty if there are none. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * Asks the name servers directly. The system's lookup would block one of the four threads that all file access shares for as
 * long as a slow name server takes.
 */
export async function resolveName(name: string): Promise<string[]> {
  if (isIP(name) !== 0) return [name];
  if (/(^|\.)localhost\.?$/.test(name)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}
