import type { Command } from 'commander';
import { type AuditAct, type AuditEvent, auditActs } from '../domain/audit.ts';
import { list } from '../features/audit/queries.ts';
import { type CliContext, withServices } from './context.ts';
import { UsageError } from './errors.ts';
import { example } from './help.ts';
import { answer, type Column, type OutputOptions, table, withJson } from './output.ts';

const columns: readonly Column<AuditEvent>[] = [
  'created_at',
  'act',
  { title: 'who', of: ({ actor_name, actor_id, via }) => actor_name ?? actor_id ?? via },
  { title: 'what', of: ({ subject_name, subject_id }) => subject_name ?? subject_id },
  'detail',
  'address',
  'times',
];
const mostEvents = 1_000;

export function auditCommand(program: Command, context: CliContext): void {
  withJson(program.command('audit'))
    .description('show who did what: sign-ins, keys, members, exports, deletions; the newest first')
    .option('--limit <number>', `how many, at most ${mostEvents}`, limitOf, 50)
    .option('--act <act>', 'only this kind, such as key.created', actOf)
    .addHelpText('after', example('audit --act sign_in --limit 20'))
    .action(({ limit, act, ...options }: OutputOptions & { limit: number; act?: AuditAct }) =>
      withServices(context, async ({ look }) => {
        const events = await list(look().db, { act }, { limit });
        answer(context, options, events, () => table(events, columns, 'There is nothing yet.'));
      }),
    );
}

function limitOf(text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > mostEvents) throw new UsageError(`--limit must be 1 to ${mostEvents}.`);
  return number;
}

function actOf(text: string): AuditAct {
  const act = auditActs.find((name) => name === text);
  if (!act) throw new UsageError(`--act must be one of ${auditActs.join(', ')}.`);
  return act;
}
