import type { Command } from 'commander';
import {
  type IssuedKey,
  type KeyOwner,
  maxGraceHours,
  maxKeyLifetimeDays,
  maxKeyNameLength,
  type OwnedKey,
  ownedKey,
  personalKeysOf,
  workspaceKeysOf,
} from '../domain/api-key.ts';
import { defaultPersonalScopes } from '../domain/scopes.ts';
import { findAccount } from '../features/identity/accounts/acts.ts';
import { issueKey, listKeys, revokeKey, rotateKey } from '../features/keys/acts.ts';
import { type CliContext, command, printing, printsFrom, type Services, someId } from './command.ts';
import { UsageError } from './errors.ts';
import { chooseUser, scopes, text, wholeNumber } from './input.ts';
import { type Column, shortTime, table } from './output.ts';

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
const whichKey = ['<id>', 'the id of the key, as "keys list" shows it'] as const;

interface OwnerOptions {
  user?: string;
  workspace?: string;
}

interface CreateOptions extends OwnerOptions {
  name: string;
  scopes?: string;
  expiresInDays?: number;
}

export function keyCommands(program: Command, context: CliContext): void {
  const example = 'keys create --name "My laptop"';
  const commands = command(program, 'keys', 'keys that programs use to call the API', example);

  printing(commands, 'create', 'create a key; it is shown only once', `${example} --scopes all`)
    .requiredOption('--name <name>', 'what it is for', text('--name', maxKeyNameLength))
    .option('--user <user>', 'whose key: id or e-mail address (default: the only user)')
    .option('--workspace <id>', 'create a workspace key for this workspace')
    .option(
      '--scopes <list>',
      `comma-separated, or "all" (default: ${defaultPersonalScopes.join(',')}; for a workspace key: all)`,
    )
    .option(
      '--expires-in-days <days>',
      'the key expires after this many days (default: never)',
      wholeNumber('--expires-in-days', 1, maxKeyLifetimeDays),
    )
    .action(
      printsFrom(context, async (services, options: CreateOptions) => {
        const created = await create(services, options);
        const { key, id } = created;
        const text = `${key}\n\nKeep this key: it will not be shown again. Its id is ${id}.`;
        return [{ ...ownedKey.parse(created), key }, text];
      }),
    );

  const about = 'list the working keys of one owner, or of all owners';
  printing(commands, 'list', about, 'keys list --user ada@example.org')
    .option('--user <user>', 'personal keys of this user: id or e-mail address')
    .option('--workspace <id>', 'keys of this workspace')
    .action(
      printsFrom(context, async (services, options: OwnerOptions) => {
        const found = await listKeys(services.look(), await ownerOf(services, options));
        const records = found.map((key) => ownedKey.parse(key));
        return [records, table(records, columns, 'There are no keys.')];
      }),
    );

  printing(
    commands,
    'rotate',
    'give a key another secret; the old one still works for a while',
    `keys rotate ${someId} --grace-hours 1`,
  )
    .argument(...whichKey)
    .option(
      '--grace-hours <hours>',
      `how long the old one still works, 0 to ${maxGraceHours}`,
      wholeNumber('--grace-hours', 0, maxGraceHours),
      maxGraceHours,
    )
    .action(
      printsFrom(context, async ({ act }, id: string, { graceHours }: { graceHours: number }) => {
        const rotated = await act((writing) => rotateKey(writing, { owner: anyone, id }, graceHours));
        const { key, old_key_expires_at } = rotated;
        const until = `The old one works until ${shortTime(old_key_expires_at)} (UTC).`;
        return [
          { ...ownedKey.parse(rotated), key, old_key_expires_at },
          `${key}\n\nKeep this key: it will not be shown again. ${until}`,
        ];
      }),
    );

  const stops = 'revoke a key; it stops working at once on every running server';
  printing(commands, 'revoke', stops, `keys revoke ${someId}`)
    .argument(...whichKey)
    .action(
      printsFrom(context, async ({ act }, id: string) => {
        await act((writing) => revokeKey(writing, { owner: anyone, id }));
        return [{ id, revoked: true }, `Revoked ${id}.`];
      }),
    );
}

async function create({ act, look }: Services, options: CreateOptions): Promise<IssuedKey> {
  const { name, user, workspace, expiresInDays: expires_in_days } = options;
  if (workspace === undefined) {
    const draft = { name, expires_in_days, scopes: scopes(options.scopes, 'personal') };
    const { id } = await chooseUser(look().db, user, '--user');
    return act((writing) => issueKey(writing, personalKeysOf(id), draft));
  }
  const draft = { name, expires_in_days, scopes: scopes(options.scopes, 'workspace') };
  const maker = user === undefined ? undefined : await findAccount(look(), user);
  return act((writing) => issueKey(writing, workspaceKeysOf(workspace), { ...draft, user_id: maker?.id }));
}

async function ownerOf({ look }: Services, { user, workspace }: OwnerOptions): Promise<KeyOwner> {
  if (user !== undefined && workspace !== undefined)
    throw new UsageError('Use --user or --workspace, not both.');
  if (user !== undefined) return personalKeysOf((await findAccount(look(), user)).id);
  if (workspace !== undefined) return workspaceKeysOf(workspace);
  return anyone;
}
