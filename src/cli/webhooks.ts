import type { Command } from 'commander';
import type { Webhook } from '../domain/webhook.ts';
import { change, own } from '../features/webhooks/acts.ts';
import { all } from '../features/webhooks/queries.ts';
import { type CliContext, command, printing, printsFrom, someId } from './command.ts';
import { type Column, table } from './output.ts';
import { listenCommand } from './webhooks-listen.ts';

const columns: readonly Column<Webhook & { owner_id: string }>[] = [
  'id',
  { title: 'owner', of: ({ owner_id }) => owner_id },
  'url',
  'events',
  'status',
  { title: 'why', of: ({ pause_reason }) => pause_reason },
  'created_at',
];

export function webhookCommands(program: Command, context: CliContext): void {
  const commands = command(
    program,
    'webhooks',
    'addresses that get an event when something changes',
    'webhooks list',
  );

  const about = 'list the webhooks of all owners, and whether they work';
  printing(commands, 'list', about, 'webhooks list').action(
    printsFrom(context, async ({ look }) => {
      const found = await all(look().db);
      return [found, table(found, columns, 'There are no webhooks.')];
    }),
  );

  listenCommand(commands, context);

  const switching = (name: string, about: string, status: Webhook['status'], done: string) =>
    printing(commands, name, about, `webhooks ${name} ${someId}`)
      .argument('<id>', 'the id of the webhook, as "webhooks list" shows it')
      .action(
        printsFrom(context, async ({ act }, id: string) => {
          // Without its key, no key pauses it; in a space its maker must still be a member.
          const webhook = await act(
            async (writing) => change(writing, await own(writing, id), { status, key_id: null }),
            { locks: true },
          );
          return [webhook, `${done} ${id}.`];
        }),
      );
  switching('pause', 'stop sending events to a webhook; new ones wait', 'paused', 'Paused');
  switching('resume', 'send events to a paused webhook again, first those that waited', 'active', 'Resumed');
}
