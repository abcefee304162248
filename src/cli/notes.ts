import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { enhance, ownJob } from '../features/language/enhance.ts';
import { reachedNote } from '../features/notes/access.ts';
import { asPerson, type CliContext, command, printing, printsFrom, someId } from './command.ts';
import { Failure } from './errors.ts';
import { chooseUser } from './input.ts';

const lookEveryMs = 500;

interface EnhanceOptions {
  user?: string;
  language?: string;
  output?: 'replace' | 'append' | 'note';
  wait: boolean;
}

export function noteCommands(program: Command, context: CliContext): void {
  const example = `notes enhance ${someId} summary`;
  const commands = command(program, 'notes', 'what a language model writes about notes', example);

  printing(
    commands,
    'enhance',
    'let the language model write about a note; a running server does the work (docs/language.md)',
    example,
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
    .action(
      printsFrom(context, async (services, note: string, action: string, options: EnhanceOptions) => {
        const { language, output, wait } = options;
        const person = services.as(asPerson(await chooseUser(services.database.db, options.user, '--user')));
        let job = await person.act((inside) =>
          enhance(inside, note.toLowerCase(), { action, language, output }),
        );
        // A server that runs finds it within seconds.
        while (wait && (job.state === 'queued' || job.state === 'writing')) {
          await sleep(lookEveryMs);
          job = await ownJob(person, job.id);
        }
        if (job.state === 'failed' || job.state === 'cancelled')
          throw new Failure(job.error ?? 'The text was cancelled.');
        if (job.state !== 'done') return [job, `Queued as ${job.id}.`];
        const written = await reachedNote(person, job.result_note_id ?? job.note_id);
        if (action === 'title') return [job, written.title ?? ''];
        return [job, (job.result_note_id ? written.content : written.enhanced_content) ?? ''];
      }),
    );
}
