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
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length;
  const sum = `${count('passed')} passed, ${count('failed')} failed, ${count('unseen')} could not be seen from outside`;
  return [...lines, '', sum].join('\n');
}

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
