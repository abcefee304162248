import { parseArgs } from 'node:util';
import { runFaults } from './faults.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    'no-postgres': { type: 'boolean', default: false },
  },
});

const { seed, rounds, only } = values;
console.log(`Seed ${seed}, ${rounds} rounds each\n\n| fault | promise | held | figure |\n|---|---|---|---|`);
const reports = await runFaults({
  seed: Number(seed),
  rounds: Number(rounds),
  only,
  withPostgres: !values['no-postgres'],
  onReport: ({ fault, promise, held, figure }) =>
    console.log(`| ${fault} | ${promise} | ${held ? 'yes' : 'NO'} | ${figure} |`),
});
process.exitCode = reports.length > 0 && reports.every(({ held }) => held) ? 0 : 1;
