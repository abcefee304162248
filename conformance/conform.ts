import { agents } from './agents.ts';
import type { Check, Need, Part, Target } from './check.ts';
import { type Answer, type Client, createClient, NotSeen } from './client.ts';
import { credentials } from './credentials.ts';
import { everyAnswer } from './every-answer.ts';
import { lean, many, webhooks } from './extensions.ts';
import { folders } from './folders.ts';
import { ground } from './ground.ts';
import { keys } from './keys.ts';
import { notes } from './notes.ts';
import { transcribing } from './transcribe.ts';
import { transcriptions } from './transcriptions.ts';
import { usage } from './usage.ts';
import { changes, versions } from './versions.ts';
import { dictionary, snippets } from './words.ts';
import { workspaceKeys } from './workspace.ts';

export const profiles = ['contract', 'extensions', 'all'] as const;
export type Profile = (typeof profiles)[number];

const contract: readonly Part[] = [
  ground,
  credentials,
  notes,
  versions,
  changes,
  folders,
  transcribing,
  transcriptions,
  dictionary,
  snippets,
  usage,
  keys,
  agents,
  workspaceKeys,
  everyAnswer,
];
/** What Steno has beyond the contract (docs/api.md). */
const extensions: readonly Part[] = [lean, many, webhooks];
const partsOf = (profile: Profile) =>
  profile === 'contract' ? contract : profile === 'extensions' ? extensions : [...extensions, ...contract];

export interface Options {
  /** Ends in /api/v1. */
  baseUrl: string;
  key: string;
  workspaceKey?: string | undefined;
  session?: string | undefined;
  /** By default the contract alone. */
  profile?: Profile;
  /** Only the parts of these names; all when left out. */
  only?: readonly string[];
}

export interface Result {
  part: string;
  sentence: string;
  /** `unseen`: this server, or any, does not let it be seen. */
  outcome: 'passed' | 'failed' | 'unseen';
  /** Why it failed or was not seen. */
  detail: string;
  seconds: number;
}

/** Walks the contract against a server and removes what it made. Throws when GET /me does not work with the key. */
export async function conform(options: Options): Promise<Result[]> {
  const seen: Answer[] = [];
  const undo: (() => Promise<unknown>)[] = [];
  const target = await open(options, seen, undo);
  const results: Result[] = [];
  const wanted = partsOf(options.profile ?? 'contract').filter(
    ({ name }) => options.only?.includes(name) ?? true,
  );
  for (const { name: part, checks, unseen } of wanted) {
    for (const check of checks) results.push({ part, ...(await outcome(check, target, options)) });
    for (const { sentence, why } of unseen)
      results.push({ part, sentence, outcome: 'unseen', detail: why, seconds: 0 });
  }
  for (const step of undo.reverse()) await step().catch(() => {});
  return results;
}

async function open(options: Options, seen: Answer[], undo: (() => Promise<unknown>)[]): Promise<Target> {
  const { baseUrl } = options;
  const as = (key: string | undefined): Client => createClient(baseUrl, key, seen);
  const api = as(options.key);
  const answer = await api.call('GET', '/me');
  if (answer.status !== 200) throw new Error(`GET ${baseUrl}/me answered ${answer.status} ${answer.text}`);
  const { scopes = [], plan = '' } = answer.body?.data ?? {};
  return {
    baseUrl,
    api,
    anonymous: as(undefined),
    workspace: as(options.workspaceKey),
    session: as(options.session),
    as,
    scopes: new Set(scopes),
    plan,
    seen,
    later: (step) => undo.push(step),
  };
}

async function outcome({ sentence, needs, run }: Check, target: Target, options: Options) {
  const missing = needs.filter((need) => !isMet(need, target, options));
  if (missing.length > 0)
    return { sentence, outcome: 'unseen' as const, detail: `needs ${missing.join(' and ')}`, seconds: 0 };
  const start = performance.now();
  const took = () => (performance.now() - start) / 1000;
  try {
    await run(target);
    return { sentence, outcome: 'passed' as const, detail: '', seconds: took() };
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    return {
      sentence,
      outcome: cause instanceof NotSeen ? ('unseen' as const) : ('failed' as const),
      detail,
      seconds: took(),
    };
  }
}

function isMet(need: Need, { scopes }: Target, { workspaceKey, session }: Options): boolean {
  if (need === 'the workspace key') return workspaceKey !== undefined;
  if (need === 'the session') return session !== undefined;
  return scopes.has(need);
}
