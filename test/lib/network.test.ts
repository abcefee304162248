import { describe, expect, test } from 'vitest';
import { networkOf } from '../../src/lib/network.ts';
import { createForgetfulLimiter } from '../../src/platform/database/rate-limits.ts';
import { createFailureThrottle } from '../../src/platform/http/failure-throttle.ts';

describe('a client is counted by', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:192.0.2.7', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['no address', 'no address'],
    ['', ''],
  ])('%s: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test('addresses of one /64 share a counter, neighbours do not', async () => {
    const clock = () => 0;
    const failures = createFailureThrottle(createForgetfulLimiter(clock), 2, clock);
    const codes = [];
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::ffff:3', '2001:db8:0:1::1'])
      codes.push((await failures.record(address)).code);
    expect(codes).toEqual(['invalid_api_key', 'invalid_api_key', 'rate_limited', 'invalid_api_key']);
  });
});
