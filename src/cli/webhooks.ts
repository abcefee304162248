import type { Command } from 'commander';
import type { Webhook } from '../domain/webhook.ts';
import { change, own } from '../features/webhooks/acts.ts';
import { all } from '../features/webhooks/queries.ts';
import { type CliContext, withServices } from './context.ts';
import { example, someId } from './help.ts';
import { answer, type Column, type OutputOptions, table, withJson } from './output.ts';
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
  const commands = program
    .command('webhooks')
    .description('addresses that are told of changes')
    .addHelpText('after', example('webhooks list'));

  withJson(commands.command('list'))
    .description('list the webhooks of everybody, and whether they work')
    .addHelpText('after', example('webhooks list'))
    .action((options: OutputOptions) =>
      withServices(context, async ({ look }) => {
        const found = await all(look().db);
        answer(context, options, found, () => table(found, columns, 'There are no webhooks.'));
      }),
    );

  listenCommand(commands, context);

  for (const [name, status, done] of [
    ['pause', 'paused', 'Paused'],
    ['resume', 'active', 'Resumed'],
  ] as const)
    withJson(commands.command(name))
      .description(
        name === 'pause'
          ? 'stop telling a webhook; what happens meanwhile waits for it'
          : 'tell a paused webhook again, beginning with what has waited',
      )
      .argument('<id>', 'the id of the webhook, as "webhooks list" shows it')
      .addHelpText('after', example(`webhooks ${name} ${someId}`))
      .action((id: string, options: OutputOptions) =>
        withServices(context, async ({ act }) => {
          // Without its key, no key pauses it; in a space its maker must still be a member.
          const webhook = await act(
            async (context) => change(context, await own(context, id), { status, key_id: null }),
            { locks: true },
          );
          answer(context, options, webhook, () => `${done} ${id}.`);
        }),
      );
}
