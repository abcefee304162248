import { Resolver } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { includesAddress } from './network.ts';

/** Not of the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry. */
const privateNetworks = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // Teredo and 6to4 (2002::/16) embed an IPv4 address, which could be a private one.
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
];
/**
 * All that is given out of IPv6 (https://www.iana.org/assignments/ipv6-address-space). Outside are the ways to write an IPv4
 * address: mapped (::ffff:10.0.0.1), translated (::ffff:0:10.0.0.1), compatible (::10.0.0.1), NAT64 (64:ff9b::10.0.0.1).
 */
const publicIpv6 = ['2000::/3'];

export const isPrivate = (address: string) =>
  includesAddress(privateNetworks, address) || (isIPv6(address) && !includesAddress(publicIpv6, address));

/** All addresses of a name; empty if there are none. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * Asks the name servers directly, by default the system's. The system's lookup would block one of the four threads
 * that all file access shares for as long as a slow name server takes.
 */
export function createResolve(nameServers?: readonly string[]): Resolve {
  return async (name) => {
    if (isIP(name) !== 0) return [name];
    if (/(^|\.)localhost\.?$/.test(name)) return ['127.0.0.1', '::1'];
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (nameServers) resolver.setServers(nameServers);
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
}
