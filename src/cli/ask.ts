import type { Command } from 'commander';
import type { SessionPrincipal } from '../domain/principal.ts';
import { personalScopes } from '../domain/scopes.ts';
import { answerQuestion } from '../features/ask/answer.ts';
import { maxQuestionLength } from '../features/ask/schema.ts';
import { type CliContext, withServices } from './context.ts';
import { example } from './help.ts';
import { chooseUser, text } from './input.ts';
import { answer, type OutputOptions, withJson } from './output.ts';

export function askCommand(program: Command, context: CliContext): void {
  withJson(program.command('ask'))
    .description('ask the notes of a user; needs a language model (STENO_LLM_URL)')
    .argument('<question>', 'in plain words')
    .option('--user <user>', 'whose notes: id or e-mail address (default: the only user)')
    .addHelpText('after', example('ask "What did we decide about the office?"'))
    .action((question: string, options: OutputOptions & { user?: string }) =>
      withServices(context, async (services) => {
        const user = await chooseUser(services.database.db, options.user, '--user');
        const asked = { question: text('The question', maxQuestionLength)(question) };
        const found = await answerQuestion(services.as(asPerson(user)), asked, false);
        answer(context, options, found, () =>
          [
            found.answer,
            ...found.citations.map(
              ({ number, title, note_id, seconds, quote }) =>
                `[${number}] ${title ?? note_id}${seconds === null ? '' : `, ${timeOf(seconds)}`}: ${quote}`,
            ),
          ].join('\n'),
        );
      }),
    );
}

const timeOf = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** The operator asks as this person. The policy and the wish of the person still count. */
const asPerson = ({ id, plan }: Pick<SessionPrincipal, 'plan'> & { id: string }): SessionPrincipal => ({
  kind: 'session',
  userId: id,
  plan,
  scopes: personalScopes,
  blockedBy: [],
  expiresAt: null,
  limitKey: id,
  allowedAddresses: null,
  key: null,
  sessionId: 'cli',
  isOperator: false,
});
