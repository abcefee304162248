import { expect, test } from 'vitest';
import { attack } from '../../fuzz/campaign.ts';

// The number of requests ends it, not the time.
test('odd requests and damaged recordings block no turn, leave no memory behind and reach no other account', async () => {
  const report = await attack({ seed: 20_262, seconds: 600, requests: 800, audioShare: 0.05 });
  expect(report.faults).toEqual([]);
  expect(report.recordings).toBeGreaterThan(20);
  for (const status of [200, 201, 400, 401, 403, 404]) expect(report.byStatus[status]).toBeGreaterThan(0);
});
