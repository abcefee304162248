import { parseArgs } from 'node:util';
import { changesCost } from './cases/changes-cost.ts';
import { coldStart } from './cases/cold-start.ts';
import { consoleList } from './cases/console-list.ts';
import { createNote } from './cases/create-note.ts';
import { dictionary } from './cases/dictionary.ts';
import { getNote } from './cases/get-note.ts';
import { idleMemory } from './cases/idle-memory.ts';
import { listNotes } from './cases/list-notes.ts';
import { listRate } from './cases/list-rate.ts';
import { listWays } from './cases/list-ways.ts';
import { liveRecording } from './cases/live-recording.ts';
import { mixedLoad, mixedLoadPostgres } from './cases/mixed-load.ts';
import { postgresCreate, postgresGet, postgresTail } from './cases/postgres.ts';
import { recordingMemory } from './cases/recording-memory.ts';
import { rule } from './cases/rule.ts';
import { ruleForMany } from './cases/rule-many.ts';
import { search, searchOnPostgres } from './cases/search.ts';
import { signIns } from './cases/sign-ins.ts';

const measures = {
  getNote,
  createNote,
  listNotes,
  listRate,
  listWays,
  changesCost,
  search,
  searchOnPostgres,
  dictionary,
  postgresGet,
  postgresCreate,
  postgresTail,
  coldStart,
  idleMemory,
  recordingMemory,
  liveRecording,
  mixedLoad,
  mixedLoadPostgres,
  rule,
  ruleForMany,
  signIns,
  consoleList,
};

const { values, positionals } = parseArgs({
  options: { scale: { type: 'string', default: '1' } },
  allowPositionals: true,
});
if (positionals.includes('peers')) {
  const { comparePeers } = await import('./peers/run.ts');
  await comparePeers(Number(values.scale));
  process.exit();
}
// The rule is both about one nasty request and about many.
const wanted = positionals.flatMap((name) => (name === 'rule' ? ['rule', 'ruleForMany'] : [name]));
const chosen = Object.entries(measures).filter(([name]) => wanted.length === 0 || wanted.includes(name));

console.log('| measure | goal | measured | |\n|---|---|---|---|');
let allMet = true;
for (const measure of chosen.map(([, one]) => one)) {
  const { value, met, detail } = await measure.run({ scale: Number(values.scale) });
  allMet &&= met;
  const shown = Number.isInteger(value) ? value : value.toFixed(2);
  console.log(`| ${measure.name} | ${measure.goal} | **${shown}**${met ? '' : ' (missed)'} | ${detail} |`);
}
process.exitCode = allMet ? 0 : 1;
