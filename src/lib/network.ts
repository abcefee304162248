import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * What identifies one client in limits: an IPv4 address, or the /64 network of an IPv6 address, because every connection
 * gets at least 2^64 IPv6 addresses (RFC 6177). Any other text is returned unchanged.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const groups = groupsOf(plain);
  const isMappedIpv4 = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMappedIpv4)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups. The URL parser turns every spelling, even one with a dotted end, into one form (RFC 5952). */
function groupsOf(address: string): number[] {
  const { hostname } = new URL(`http://[${address}]`);
  const [before = '', after = ''] = hostname.slice(1, -1).split('::');
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [head, tail] = [parse(before), parse(after)];
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

const networkForm = /^([\da-fA-F.:]+)(?:\/(\d{1,3}))?$/;

/** Whether the text is an address or a network: `192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`. */
export const isNetwork = (text: string) => addNetwork(new BlockList(), text);

/** Whether one of the addresses or networks includes the address. */
export function includesAddress(networks: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const network of networks) addNetwork(list, network);
  const [plain = ''] = address.split('%');
  return isIP(plain) !== 0 && list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}

/** False if the text is neither an address nor a network. */
function addNetwork(list: BlockList, text: string): boolean {
  const [, address = '', prefix] = networkForm.exec(text) ?? [];
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const length = prefix === undefined ? bits : Number(prefix);
  if (bits === 0 || length > bits) return false;
  list.addSubnet(address, length, bits === 128 ? 'ipv6' : 'ipv4');
  return true;
}
