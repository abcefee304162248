import type { Command } from 'commander';
import { type AuditAct, type AuditEvent, auditActs } from '../domain/audit.ts';
import { list } from '../features/audit/queries.ts';
import { type CliContext, printing, printsFrom } from './command.ts';
import { UsageError } from './errors.ts';
import { oneOf } from './input.ts';
import { type Column, table } from './output.ts';

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
  printing(
    program,
    'audit',
    'show who did what: sign-ins, keys, members, exports, deletions; the newest first',
    'audit --act sign_in --limit 20',
  )
    .option('--limit <number>', `how many, at most ${mostEvents}`, limitOf, 50)
    .option('--act <act>', 'only this kind, such as key.created', oneOf('--act', auditActs))
    .action(
      printsFrom(context, async ({ look }, { limit, act }: { limit: number; act?: AuditAct }) => {
        const events = await list(look().db, { act }, { limit });
        return [events, table(events, columns, 'There is nothing yet.')];
      }),
    );
}

function limitOf(text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > mostEvents) throw new UsageError(`--limit must be 1 to ${mostEvents}.`);
  return number;
}
