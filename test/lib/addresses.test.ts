import { expect, test } from 'vitest';
import { isPrivate } from '../../src/lib/addresses.ts';

/**
 * The IANA special-purpose address registries for IPv4 and IPv6, as of 2026: the first and the last address of each range, and
 * beside them the ranges for multicast and for older ways to write an IPv4 address. Those that are globally reachable are
 * marked, but not 64:ff9b::/96, which holds an IPv4 address, nor single addresses within 192.0.0.0/24 and 2001::/23, where
 * nobody has a receiver.
 */
const registries: [range: string, first: string, last: string, isOpen?: 'open'][] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255'],
  ['0.0.0.0/32', '0.0.0.0', '0.0.0.0'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255'],
  ['192.0.0.0/29', '192.0.0.0', '192.0.0.7'],
  ['192.0.0.8/32 to 192.0.0.10/32', '192.0.0.8', '192.0.0.10'],
  ['192.0.0.170/31', '192.0.0.170', '192.0.0.171'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255'],
  ['192.31.196.0/24', '192.31.196.0', '192.31.196.255', 'open'],
  ['192.52.193.0/24', '192.52.193.0', '192.52.193.255', 'open'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255'],
  ['192.88.99.2/32', '192.88.99.2', '192.88.99.2'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255'],
  ['192.175.48.0/24', '192.175.48.0', '192.175.48.255', 'open'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255'],
  ['224.0.0.0/4 (multicast)', '224.0.0.0', '239.255.255.255'],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.254'],
  ['255.255.255.255/32', '255.255.255.255', '255.255.255.255'],
  ['::1/128', '::1', '::1'],
  ['::/128', '::', '::'],
  ['::/96 (compatible)', '::7f00:1', '::ffff:ffff'],
  ['::ffff:0:0/96 (mapped)', '::ffff:127.0.0.1', '::ffff:255.255.255.255'],
  ['::ffff:0:0:0/96 (translated)', '::ffff:0:127.0.0.1', '::ffff:0:255.255.255.255'],
  ['64:ff9b::/96', '64:ff9b::', '64:ff9b::255.255.255.255'],
  ['64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::/64', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['2001::/23', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001::/32', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:1::1/128 to 2001:1::3/128', '2001:1::1', '2001:1::3'],
  ['2001:2::/48', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['2001:3::/32', '2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:4:112::/48', '2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff'],
  ['2001:10::/28', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:20::/28', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:30::/28', '2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::/16', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2620:4f:8000::/48', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', 'open'],
  ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::/10 (once for sites)', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::/8 (multicast)', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

test.each(registries)(
  '%s is special: nobody is called there but where it is open',
  (_, first, last, isOpen) => {
    expect([isPrivate(first), isPrivate(last)]).toEqual([isOpen === undefined, isOpen === undefined]);
  },
);

test.each([
  ...['1.0.0.0', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...[
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
  ],
  ...['2000::', '2001:200::', '2001:db7:ffff::', '2001:db9::', '2606:4700:4700::1111', '3ffe:ffff::'],
])('%s, beside a special range, is public', (address) => {
  expect(isPrivate(address)).toBe(false);
});
