import type { Command } from 'commander';
import {
  type IssuedKey,
  type KeyOwner,
  maxGraceHours,
  maxKeyNameLength,
  type OwnedKey,
  ownedKey,
  personalKeysOf,
  workspaceKeysOf,
} from '../domain/api-key.ts';
import { defaultPersonalScopes } from '../domain/scopes.ts';
import { findAccount } from '../features/identity/accounts/acts.ts';
import { issueKey, listKeys, revokeKey, rotateKey } from '../features/keys/acts.ts';
import { type CliContext, type Services, withServices } from './context.ts';
import { UsageError } from './errors.ts';
import { example, someId } from './help.ts';
import { chooseUser, days, graceHours, scopes, text } from './input.ts';
import { answer, type Column, type OutputOptions, shortTime, table, withJson } from './output.ts';

const columns: readonly Column<OwnedKey>[] = [
  'id',
  'name',
  { title: 'key', of: ({ key_prefix }) => `${key_prefix}…` },
  'kind',
  { title: 'owner', of: ({ user_id, workspace_id }) => workspace_id ?? user_id },
  'last_used_at',
  { title: 'last call', of: ({ last_used_route }) => last_used_route },
  'expires_at',
  'scopes',
];

const anyone = { kind: 'anyone' } as const;

interface CreateOptions extends OutputOptions {
  name: string;
  user?: string;
  workspace?: string;
  scopes?: string;
  expiresInDays?: number;
}

interface ListOptions extends OutputOptions {
  user?: string;
  workspace?: string;
}

export function keyCommands(program: Command, context: CliContext): void {
  const commands = program
    .command('keys')
    .description('keys that programs use to call the API')
    .addHelpText('after', example('keys create --name "My laptop"'));

  withJson(commands.command('create'))
    .description('create a key; it is shown only once')
    .requiredOption('--name <name>', 'what it is for', text('--name', maxKeyNameLength))
    .option('--user <user>', 'whose key: id or e-mail address (default: the only user)')
    .option('--workspace <id>', 'create a workspace key for this workspace')
    .option(
      '--scopes <list>',
      `comma-separated, or "all" (default: ${defaultPersonalScopes.join(',')}; for a workspace key: all)`,
    )
    .option('--expires-in-days <days>', 'the key expires after this many days (default: never)', days)
    .addHelpText('after', example('keys create --name "My laptop" --scopes all'))
    .action((options: CreateOptions) =>
      withServices(context, async (services) => {
        const created = await create(services, options);
        const record = { ...ownedKey.parse(created), key: created.key };
        answer(
          context,
          options,
          record,
          () => `${created.key}\n\nKeep this key: it will not be shown again. Its id is ${created.id}.`,
        );
      }),
    );

  withJson(commands.command('list'))
    .description('list the working keys of one owner, or of everybody')
    .option('--user <user>', 'personal keys of this user: id or e-mail address')
    .option('--workspace <id>', 'keys of this workspace')
    .addHelpText('after', example('keys list --user ada@example.org'))
    .action((options: ListOptions) =>
      withServices(context, async (services) => {
        const found = await listKeys(services.look(), await ownerOf(services, options));
        const records = found.map((key) => ownedKey.parse(key));
        answer(context, options, records, () => table(records, columns, 'There are no keys.'));
      }),
    );

  withJson(commands.command('rotate'))
    .description('give a key another secret; the one from before works for a while')
    .argument('<id>', 'the id of the key, as "keys list" shows it')
    .option('--grace-hours <hours>', 'how long the old one still works, 0 to 24', graceHours, maxGraceHours)
    .addHelpText('after', example(`keys rotate ${someId} --grace-hours 1`))
    .action((id: string, options: OutputOptions & { graceHours: number }) =>
      withServices(context, async ({ act }) => {
        const rotated = await act((context) => rotateKey(context, { owner: anyone, id }, options.graceHours));
        const { key, old_key_expires_at } = rotated;
        const record = { ...ownedKey.parse(rotated), key, old_key_expires_at };
        answer(
          context,
          options,
          record,
          () =>
            `${key}\n\nKeep this key: it will not be shown again. The old one works until ${shortTime(old_key_expires_at)} (UTC).`,
        );
      }),
    );

  withJson(commands.command('revoke'))
    .description('revoke a key; it stops working at once on every running server')
    .argument('<id>', 'the id of the key, as "keys list" shows it')
    .addHelpText('after', example(`keys revoke ${someId}`))
    .action((id: string, options: OutputOptions) =>
      withServices(context, async ({ act }) => {
        await act((context) => revokeKey(context, { owner: anyone, id }));
        answer(context, options, { id, revoked: true }, () => `Revoked ${id}.`);
      }),
    );
}

async function create({ act, look }: Services, options: CreateOptions): Promise<IssuedKey> {
  const { name, user, workspace, expiresInDays: expires_in_days } = options;
  if (workspace === undefined) {
    const draft = { name, expires_in_days, scopes: scopes(options.scopes, 'personal') };
    const { id } = await chooseUser(look().db, user, '--user');
    return act((context) => issueKey(context, personalKeysOf(id), draft));
  }
  const draft = { name, expires_in_days, scopes: scopes(options.scopes, 'workspace') };
  const maker = user === undefined ? undefined : await findAccount(look(), user);
  return act((context) => issueKey(context, workspaceKeysOf(workspace), { ...draft, user_id: maker?.id }));
}

async function ownerOf({ look }: Services, { user, workspace }: ListOptions): Promise<KeyOwner> {
  if (user !== undefined && workspace !== undefined)
    throw new UsageError('Use --user or --workspace, not both.');
  if (user !== undefined) return personalKeysOf((await findAccount(look(), user)).id);
  if (workspace !== undefined) return workspaceKeysOf(workspace);
  return anyone;
}
