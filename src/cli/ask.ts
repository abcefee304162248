import type { Command } from 'commander';
import { answerQuestion } from '../features/ask/answer.ts';
import { maxQuestionLength } from '../features/ask/schema.ts';
import { asPerson, type CliContext, printing, printsFrom } from './command.ts';
import { chooseUser, text } from './input.ts';

export function askCommand(program: Command, context: CliContext): void {
  printing(
    program,
    'ask',
    'ask the notes of a user; needs a language model (STENO_LLM_URL)',
    'ask "What did we decide about the office?"',
  )
    .argument('<question>', 'in plain words', text('The question', maxQuestionLength))
    .option('--user <user>', 'whose notes: id or e-mail address (default: the only user)')
    .action(
      printsFrom(context, async (services, question: string, options: { user?: string }) => {
        const user = await chooseUser(services.database.db, options.user, '--user');
        const found = await answerQuestion(services.as(asPerson(user)), { question }, false);
        const citations = found.citations.map(
          ({ number, title, note_id, seconds, quote }) =>
            `[${number}] ${title ?? note_id}${seconds === null ? '' : `, ${timeOf(seconds)}`}: ${quote}`,
        );
        return [found, [found.answer, ...citations].join('\n')];
      }),
    );
}

const timeOf = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
