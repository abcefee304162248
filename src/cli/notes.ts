import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Principal } from '../domain/principal.ts';
import { personalScopes } from '../domain/scopes.ts';
import type { User } from '../domain/user.ts';
import { enhance, ownJob } from '../features/language/enhance.ts';
import type { LanguageJob } from '../features/language/schema.ts';
import { reachedNote } from '../features/notes/access.ts';
import { type CliContext, withServices } from './context.ts';
import { Failure } from './errors.ts';
import { example, someId } from './help.ts';
import { chooseUser } from './input.ts';
import { answer, type OutputOptions, withJson } from './output.ts';

const lookEveryMs = 500;

interface EnhanceOptions extends OutputOptions {
  user?: string;
  language?: string;
  output?: 'replace' | 'append' | 'note';
  wait: boolean;
}

export function noteCommands(program: Command, context: CliContext): void {
  const commands = program
    .command('notes')
    .description('what a language model writes about notes')
    .addHelpText('after', example(`notes enhance ${someId} summary`));

  withJson(commands.command('enhance'))
    .description(
      'let the language model write about a note; a running server does the work (docs/language.md)',
    )
    .argument('<note>', 'the id of the note')
    .argument(
      '<action>',
      'title, clean-up, summary, action-items, minutes, follow-up, translate, or the id of an action',
    )
    .option('--user <user>', 'whose note: id or e-mail address (default: the only user)')
    .option('--language <language>', 'what to write in')
    .option('--output <place>', 'replace, append or note')
    .option('--no-wait', 'do not wait until it is written')
    .addHelpText('after', example(`notes enhance ${someId} summary`))
    .action((note: string, action: string, options: EnhanceOptions) =>
      withServices(context, async (services) => {
        const principal = asUser(await chooseUser(services.database.db, options.user, '--user'));
        const asPerson = services.as(principal);
        const { output, wait } = options;
        const wish = { action, language: options.language, output };
        const queued = await asPerson.act((inside) => enhance(inside, note.toLowerCase(), wish));
        const job = wait ? await ended(queued, () => ownJob(asPerson, queued.id)) : queued;
        if (job.state === 'failed' || job.state === 'cancelled')
          throw new Failure(job.error ?? 'The text was cancelled.');
        const written = await reachedNote(
          { database: services.database, who: principal },
          job.result_note_id ?? job.note_id,
        );
        const text = () => {
          if (job.state !== 'done') return `Queued as ${job.id}.`;
          if (action === 'title') return written.title ?? '';
          return (job.result_note_id ? written.content : written.enhanced_content) ?? '';
        };
        answer(context, options, job, text);
      }),
    );
}

/** A server that runs finds it within seconds. */
async function ended(first: LanguageJob, read: () => Promise<LanguageJob>): Promise<LanguageJob> {
  let job = first;
  while (job.state === 'queued' || job.state === 'writing') {
    await sleep(lookEveryMs);
    job = await read();
  }
  return job;
}

/** The operator acts for this person. */
const asUser = ({ id, plan }: Pick<User, 'id' | 'plan'>): Principal => ({
  kind: 'session',
  sessionId: '',
  isOperator: false,
  userId: id,
  plan,
  scopes: personalScopes,
  blockedBy: [],
  expiresAt: null,
  limitKey: '',
  allowedAddresses: null,
  key: null,
});
