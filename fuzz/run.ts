import { parseArgs } from 'node:util';
import { attack } from './campaign.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now()) },
  },
});
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
const report = await attack({ seed, seconds });
console.log(
  `Seed ${seed}: ${report.requests} requests in ${seconds} s, ${report.recordings} of them recordings`,
);
console.log('By status:', report.byStatus);
console.log(`Longest turn of the event loop: ${report.longestTurnMs.toFixed(0)} ms of processor time`);
console.log(`Memory of JavaScript: ${(report.grownBytes / 1e6).toFixed(1)} MB more at the end`);
for (const fault of report.faults.slice(0, 50)) console.log(`FAULT ${fault}`);
console.log(`${report.faults.length} faults`);
process.exitCode = report.faults.length === 0 ? 0 : 1;
