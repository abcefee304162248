import type { Command } from 'commander';
import { AppError } from '../domain/errors.ts';
import type { PlanName } from '../domain/plans.ts';
import { maxUserNameLength } from '../domain/user.ts';
import { addAccount, changeAccount, findAccount, setOperator } from '../features/identity/accounts/acts.ts';
import { list, setSuspended } from '../features/identity/accounts/queries.ts';
import { removeAccount } from '../features/identity/accounts/remove.ts';
import { createSignInLink } from '../features/identity/sessions/sign-in.ts';
import { addressOf } from './address.ts';
import { type CliContext, withServices } from './context.ts';
import { example, someId } from './help.ts';
import { chooseUser, email, plan, text } from './input.ts';
import { answer, type OutputOptions, table, withJson } from './output.ts';

const columns = ['id', 'name', 'email', 'plan', 'created_at'] as const;

interface AddOptions extends OutputOptions {
  name: string;
  email?: string;
  plan?: PlanName;
}

export function userCommands(program: Command, context: CliContext): void {
  const commands = program
    .command('users')
    .description('user accounts')
    .addHelpText('after', example('users list'));

  withJson(commands.command('add'))
    .description('add a user; create their first key with "keys create"')
    .requiredOption('--name <name>', 'their name', text('--name', maxUserNameLength))
    .option('--email <address>', 'for signing in; one account per address', email('--email'))
    .option('--plan <plan>', 'free, pro or business (default: STENO_DEFAULT_PLAN)', plan('--plan'))
    .addHelpText('after', example('users add --name "Ada Lovelace" --email ada@example.org --plan pro'))
    .action((options: AddOptions) =>
      withServices(context, async ({ act }) => {
        const user = await act((writing) => addAccount(writing, options));
        answer(
          context,
          options,
          user,
          () => `Added ${user.name} (${user.id}), plan ${user.plan}.
Create a key for them: npx steno keys create --user ${user.id} --name "My laptop"`,
        );
      }),
    );

  withJson(commands.command('list'))
    .description('list all users')
    .addHelpText('after', example('users list --json'))
    .action((options: OutputOptions) =>
      withServices(context, async ({ look }) => {
        const all = await list(look().db);
        answer(context, options, all, () => table(all, columns, 'There are no users yet.'));
      }),
    );

  withJson(commands.command('set-plan'))
    .description('change the plan of a user; takes effect at once')
    .argument('<user>', 'id or e-mail address')
    .argument('<plan>', 'free, pro or business', plan('The plan'))
    .addHelpText('after', example('users set-plan ada@example.org business'))
    .action((who: string, wanted: PlanName, options: OutputOptions) =>
      withServices(context, async ({ act }) => {
        const user = await act((writing) => changeAccount(writing, who, { plan: wanted }));
        answer(context, options, user, () => `${user.name} (${user.id}) now has the plan ${user.plan}.`);
      }),
    );

  withJson(commands.command('set-email'))
    .description('set the e-mail address that a user signs in with')
    .argument('<user>', 'id or e-mail address')
    .argument('<address>', 'the new address; one account per address', email('The address'))
    .addHelpText('after', example(`users set-email ${someId} ada@example.org`))
    .action((who: string, wanted: string, options: OutputOptions) =>
      withServices(context, async ({ act }) => {
        const user = await act((writing) => changeAccount(writing, who, { email: wanted }));
        answer(context, options, user, () => `${user.name} (${user.id}) now signs in with ${user.email}.`);
      }),
    );

  withJson(commands.command('set-name'))
    .description("change a user's name")
    .argument('<user>', 'id or e-mail address')
    .argument('<name>', 'the new name', text('The name', maxUserNameLength))
    .addHelpText('after', example('users set-name ada@example.org "Ada King"'))
    .action((who: string, wanted: string, options: OutputOptions) =>
      withServices(context, async ({ act }) => {
        const user = await act((writing) => changeAccount(writing, who, { name: wanted }));
        answer(context, options, user, () => `The name of ${user.id} is now ${user.name}.`);
      }),
    );

  withJson(commands.command('operator'))
    .description('let a user see and govern the server in the console; it does not let them read notes')
    .argument('<user>', 'id or e-mail address')
    .option('--remove', 'take the right away')
    .addHelpText('after', example('users operator ada@example.org'))
    .action((who: string, options: OutputOptions & { remove?: true }) =>
      withServices(context, async ({ act }) => {
        const is_operator = !options.remove;
        const user = await act((writing) => setOperator(writing, who, is_operator));
        answer(
          context,
          options,
          { ...user, is_operator },
          () => `${user.name} (${user.id}) is ${is_operator ? 'now' : 'no longer'} an operator.`,
        );
      }),
    );

  for (const [name, suspends] of [
    ['suspend', true],
    ['resume', false],
  ] as const)
    withJson(commands.command(name))
      .description(
        suspends
          ? 'stop all sessions and keys of a user at once, on all servers; nothing is deleted'
          : 'let a suspended user work again',
      )
      .argument('<user>', 'id or e-mail address')
      .addHelpText('after', example(`users ${name} ada@example.org`))
      .action((who: string, options: OutputOptions) =>
        withServices(context, async ({ act }) => {
          const user = await act(async (writing) => {
            const found = await findAccount(writing, who);
            await setSuspended(writing, found.id, suspends ? writing.now : null);
            return found;
          });
          answer(
            context,
            options,
            { ...user, suspended: suspends },
            () => `${user.name} (${user.id}) ${suspends ? 'is suspended' : 'can work again'}.`,
          );
        }),
      );

  withJson(commands.command('sign-in-link'))
    .description('print a link that signs a user in to the console; it works once, for 15 minutes')
    .argument('[user]', 'id or e-mail address (default: the only user)')
    .addHelpText('after', example('users sign-in-link ada@example.org'))
    .action((who: string | undefined, options: OutputOptions) =>
      withServices(context, async ({ act, look }) => {
        const user = await chooseUser(look().db, who, '"users sign-in-link USER"');
        const { path, expires_at } = await act((writing) => createSignInLink(writing, user.id));
        const link = { url: `${addressOf(undefined, context.config())}${path}`, expires_at };
        answer(context, options, link, () => link.url);
      }),
    );

  withJson(commands.command('remove'))
    .description('delete a user with their personal keys, notes and folders; this cannot be undone')
    .argument('<user>', 'id or e-mail address')
    .option('--yes', 'confirm the deletion')
    .addHelpText('after', example('users remove ada@example.org --yes'))
    .action((who: string, options: OutputOptions & { yes?: true }) =>
      withServices(context, async ({ act, look }) => {
        const { name, id } = await findAccount(look(), who);
        if (!options.yes)
          throw new AppError(
            'forbidden',
            `This deletes ${name} (${id}) with all personal keys, notes and folders, and cannot be undone; add --yes to do it.`,
          );
        const user = await act((writing) => removeAccount(writing, id), { locks: true });
        answer(context, options, user, () => `Removed ${user.name} (${user.id}).`);
      }),
    );
}
