import type { Command } from 'commander';
import { maxKeyNameLength, type StoredKey } from '../domain/api-key.ts';
import { defaultPersonalScopes, workspaceWildcard } from '../domain/scopes.ts';
import type { Admin } from '../services/admin.ts';
import type { KeyDraft } from '../services/keys.ts';
import { type CliContext, withServices } from './context.ts';
import { UsageError } from './errors.ts';
import { example } from './help.ts';
import { chooseUser, days, scopes, text } from './input.ts';
import { answer, type Column, type OutputOptions, shortTime, table, withJson } from './output.ts';

const columns: readonly Column<StoredKey>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'name', of: ({ name }) => name },
  { title: 'key', of: ({ key_prefix }) => `${key_prefix}…` },
  { title: 'kind', of: ({ kind }) => kind },
  { title: 'owner', of: ({ user_id, workspace_id }) => workspace_id ?? user_id },
  { title: 'last used (UTC)', of: ({ last_used_at }) => shortTime(last_used_at) },
  { title: 'expires (UTC)', of: ({ expires_at }) => shortTime(expires_at) },
  { title: 'scopes', of: (key) => key.scopes.join(' ') },
];

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
  const keys = program
    .command('keys')
    .description('keys that programs call the API with')
    .addHelpText('after', example('keys create --name "My laptop"'));

  withJson(keys.command('create'))
    .description('make a key and show it, this once')
    .requiredOption('--name <name>', 'what it is for', text('--name', maxKeyNameLength))
    .option('--user <user>', 'whose key: id or e-mail address (default: the only user)')
    .option('--workspace <id>', 'make a workspace key for this workspace')
    .option(
      '--scopes <list>',
      `comma-separated, or "all" (default: ${defaultPersonalScopes.join(',')}; of a workspace key: all)`,
    )
    .option('--expires-in-days <days>', 'the key ends after so many days (default: never)', days)
    .addHelpText('after', example('keys create --name "My laptop" --scopes all'))
    .action((options: CreateOptions) =>
      withServices(context, async ({ admin }) => {
        const created = await admin.createKey(await draftOf(admin, options));
        const record = { ...recordOf(created), key: created.key };
        answer(
          context,
          options,
          record,
          () => `${created.key}\n\nThis key is not shown again. Its id is ${created.id}.`,
        );
      }),
    );

  withJson(keys.command('list'))
    .description('list the keys that work now; all of them unless one owner is named')
    .option('--user <user>', 'personal keys of this user: id or e-mail address')
    .option('--workspace <id>', 'keys of this workspace')
    .addHelpText('after', example('keys list --user ada@example.org'))
    .action((options: ListOptions) =>
      withServices(context, async ({ admin }) => {
        const found = await admin.listKeys(await ownerOf(admin, options));
        answer(context, options, found.map(recordOf), () => table(found, columns, 'There are no keys.'));
      }),
    );

  withJson(keys.command('revoke'))
    .description('end a key; it stops working at once, in every running server')
    .argument('<id>', 'the id of the key, as "keys list" shows it')
    .addHelpText('after', example('keys revoke 0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e'))
    .action((id: string, options: OutputOptions) =>
      withServices(context, async ({ admin }) => {
        await admin.revokeKey({ anyone: true }, id);
        answer(context, options, { id, revoked: true }, () => `Revoked ${id}.`);
      }),
    );
}

/** What the wire shows of a key, and whose it is; never its hash. */
function recordOf({ id, name, key_prefix, scopes, last_used_at, expires_at, created_at, ...key }: StoredKey) {
  const { kind, user_id, workspace_id } = key;
  return {
    id,
    name,
    key_prefix,
    scopes,
    last_used_at,
    expires_at,
    created_at,
    kind,
    user_id,
    workspace_id,
  };
}

async function draftOf(admin: Admin, options: CreateOptions): Promise<KeyDraft> {
  const shared = { name: options.name, expiresInDays: options.expiresInDays };
  if (options.workspace === undefined) {
    const granted = options.scopes === undefined ? defaultPersonalScopes : scopes(options.scopes, 'personal');
    const user = await chooseUser(admin, options.user, '--user');
    return { kind: 'personal', userId: user.id, workspaceId: null, scopes: granted, ...shared };
  }
  const granted = options.scopes === undefined ? [workspaceWildcard] : scopes(options.scopes, 'workspace');
  const workspace = await admin.findWorkspace(options.workspace);
  const maker =
    options.user === undefined ? await admin.adminOf(workspace.id) : await admin.findUser(options.user);
  return { kind: 'workspace', userId: maker.id, workspaceId: workspace.id, scopes: granted, ...shared };
}

async function ownerOf(admin: Admin, { user, workspace }: ListOptions) {
  if (user !== undefined && workspace !== undefined)
    throw new UsageError('Name a user or a workspace, not both.');
  if (user !== undefined) return { userId: (await admin.findUser(user)).id };
  if (workspace !== undefined) return { workspaceId: (await admin.findWorkspace(workspace)).id };
  return { anyone: true } as const;
}
