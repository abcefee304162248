import { expect, test } from 'vitest';
import { runFaults } from '../../faults/faults.ts';
import { databaseKinds } from '../support/steno.ts';

const withPostgres = databaseKinds.includes('postgres');

test('servers, workers, databases, disks and clocks fail, and every promise holds', async () => {
  const reports = await runFaults({ seed: 20_263, rounds: 1, withPostgres });
  for (const { fault, figure, held } of reports) expect([fault, figure, held]).toEqual([fault, figure, true]);
  expect(reports.length).toBeGreaterThanOrEqual(withPostgres ? 7 : 4);
}, 600_000);
