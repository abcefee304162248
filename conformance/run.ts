import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { conform, profiles } from './conform.ts';
import { json, junit, markdown, table } from './report.ts';

const usage = `Checks a server against the whole contract and removes what it made.

  npx steno-conformance --base-url URL --key KEY [options]

  --base-url URL        address of the API, ending in /api/v1
  --key KEY             a personal key with all scopes
  --workspace-key KEY   also checks what a workspace key may do
  --session TOKEN       also checks the key routes, as this signed-in person
  --profile NAME        contract (default), extensions (what Steno has beyond it), or all
  --markdown FILE       also writes a table that you can publish
  --json FILE           also writes every result
  --junit FILE          also writes the results as JUnit XML

It waits when the server says so (Retry-After). It leaves one folder named "Conformance", since the API
cannot delete folders, and uses about three audio minutes of the month.
Exit code: 0 no check failed, 1 a check failed, 2 wrong usage or no server.`;

const options = {
  'base-url': { type: 'string' },
  key: { type: 'string' },
  'workspace-key': { type: 'string' },
  session: { type: 'string' },
  profile: { type: 'string' },
  markdown: { type: 'string' },
  json: { type: 'string' },
  junit: { type: 'string' },
  help: { type: 'boolean' },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  const { 'base-url': baseUrl, key } = values;
  if (values.help || baseUrl === undefined || key === undefined) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  const profile = profiles.find((one) => one === (values.profile ?? 'contract'));
  if (profile === undefined) throw new Error(`--profile must be ${profiles.join(', ')}.`);
  const results = await conform({
    profile,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    key,
    workspaceKey: values['workspace-key'],
    session: values.session,
  });
  console.log(table(results));
  const about = { server: new URL(baseUrl).origin, profile, at: new Date().toISOString() };
  if (values.junit !== undefined) writeFileSync(values.junit, junit(results));
  if (values.markdown !== undefined) writeFileSync(values.markdown, markdown(results, about));
  if (values.json !== undefined) writeFileSync(values.json, json(results, about));
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = 2;
}
