import type { Result } from './conform.ts';

const marks = { passed: 'ok', failed: 'FAIL', unseen: '-' } as const;

/** One line a check, its reason below when there is one. */
export function table(results: readonly Result[]): string {
  const lines = [...Map.groupBy(results, ({ part }) => part)].flatMap(([part, ofPart]) => [
    '',
    part,
    ...ofPart.map(
      ({ outcome, sentence, detail }) =>
        `  ${marks[outcome].padEnd(4)}  ${sentence}${detail === '' ? '' : `\n        ${detail}`}`,
    ),
  ]);
  const { passed, failed, unseen } = counted(results);
  const sum = `${passed} passed, ${failed} failed, ${unseen} could not be seen from outside`;
  return [...lines, '', sum].join('\n');
}

export interface About {
  server: string;
  profile: string;
  at: string;
}

const counted = (results: readonly Result[]) => {
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length;
  return { passed: count('passed'), failed: count('failed'), unseen: count('unseen') };
};

/** A table for a page: one line a part, and below it what failed. */
export function markdown(results: readonly Result[], { server, profile, at }: About): string {
  const line = (name: string, of: readonly Result[]) => {
    const { passed, failed, unseen } = counted(of);
    return `| ${name} | ${passed} of ${passed + failed} | ${unseen} |`;
  };
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  return [
    `Conformance of ${server}, profile ${profile}, ${at.slice(0, 10)}`,
    '',
    '| part | checks passed | not visible from outside |',
    '|---|---|---|',
    ...[...Map.groupBy(results, ({ part }) => part)].map(([part, of]) => line(part, of)),
    line('**all**', results),
    ...(failures.length === 0 ? [] : ['', 'Failed:', '']),
    ...failures.map(
      ({ part, sentence, detail }) => `- ${part}: ${sentence} (${detail.replaceAll('\n', ' ')})`,
    ),
    '',
  ].join('\n');
}

export const json = (results: readonly Result[], about: About): string =>
  `${JSON.stringify({ ...about, ...counted(results), results }, null, 2)}\n`;

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) =>
  // XML 1.0 has no control characters, escaped or not.
  [...text]
    .filter((character) => character >= ' ' || character === '\n' || character === '\t')
    .join('')
    .replace(/[&<>"]/g, (character) => escapes[character] ?? '');

/** JUnit XML, as build servers read it. */
export function junit(results: readonly Result[]): string {
  const suites = [...Map.groupBy(results, ({ part }) => part)].map(([part, cases]) => {
    const count = (outcome: Result['outcome']) => cases.filter((result) => result.outcome === outcome).length;
    const attributes = `tests="${cases.length}" failures="${count('failed')}" skipped="${count('unseen')}"`;
    return `  <testsuite name="${escaped(part)}" ${attributes}>\n${cases.map(testCase).join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="conformance">\n${suites.join('')}</testsuites>\n`;
}

function testCase({ part, sentence, outcome, detail, seconds }: Result): string {
  const tag = { passed: undefined, failed: 'failure', unseen: 'skipped' }[outcome];
  const inside = tag ? `<${tag} message="${escaped(detail)}"/>` : '';
  return `    <testcase classname="${escaped(part)}" name="${escaped(sentence)}" time="${seconds.toFixed(3)}">${inside}</testcase>\n`;
}
