import type { Command } from 'commander';
import { AppError } from '../domain/errors.ts';
import type { PlanName } from '../domain/plans.ts';
import { maxUserNameLength } from '../domain/user.ts';
import { addressOf } from './address.ts';
import { type CliContext, withServices } from './context.ts';
import { example } from './help.ts';
import { email, plan, text } from './input.ts';
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
    .description('people with an account')
    .addHelpText('after', example('users list'));

  withJson(commands.command('add'))
    .description('add a person; their first key comes from "keys create"')
    .requiredOption('--name <name>', 'what they are called', text('--name', maxUserNameLength))
    .option('--email <address>', 'for signing in; no two accounts share one', email)
    .option('--plan <plan>', 'free, pro or business (default: STENO_DEFAULT_PLAN)', plan('--plan'))
    .addHelpText('after', example('users add --name "Ada Lovelace" --email ada@example.org --plan pro'))
    .action((options: AddOptions) =>
      withServices(context, async ({ users }) => {
        const user = await users.add(options);
        answer(
          context,
          options,
          user,
          () => `Added ${user.name} (${user.id}), plan ${user.plan}.
A key for them: npx steno keys create --user ${user.id} --name "My laptop"`,
        );
      }),
    );

  withJson(commands.command('list'))
    .description('list all accounts')
    .addHelpText('after', example('users list --json'))
    .action((options: OutputOptions) =>
      withServices(context, async ({ users }) => {
        const all = await users.list();
        answer(context, options, all, () => table(all, columns, 'There are no users yet.'));
      }),
    );

  withJson(commands.command('set-plan'))
    .description('change the plan of a person; takes effect at once')
    .argument('<user>', 'id or e-mail address')
    .argument('<plan>', 'free, pro or business', plan('The plan'))
    .addHelpText('after', example('users set-plan ada@example.org business'))
    .action((who: string, wanted: PlanName, options: OutputOptions) =>
      withServices(context, async ({ users }) => {
        const user = await users.setPlan(who, wanted);
        answer(context, options, user, () => `${user.name} (${user.id}) has the plan ${user.plan} now.`);
      }),
    );

  withJson(commands.command('sign-in-link'))
    .description('print a link that signs a person in to the console, once, within 15 minutes')
    .argument('<user>', 'id or e-mail address')
    .addHelpText('after', example('users sign-in-link ada@example.org'))
    .action((who: string, options: OutputOptions) =>
      withServices(context, async ({ sessions }) => {
        const { path, expires_at } = await sessions.createSignInLink(who);
        const link = { url: `${addressOf(undefined, context.config())}${path}`, expires_at };
        answer(context, options, link, () => link.url);
      }),
    );

  withJson(commands.command('remove'))
    .description('remove a person with their personal keys, notes and folders, for good')
    .argument('<user>', 'id or e-mail address')
    .option('--yes', 'confirm the removal')
    .addHelpText('after', example('users remove ada@example.org --yes'))
    .action((who: string, options: OutputOptions & { yes?: true }) =>
      withServices(context, async ({ users }) => {
        const { name, id } = await users.find(who);
        if (!options.yes)
          throw new AppError(
            'forbidden',
            `This removes ${name} (${id}) with all personal keys, notes and folders for good; add --yes to do it.`,
          );
        const user = await users.remove(id);
        answer(context, options, user, () => `Removed ${user.name} (${user.id}).`);
      }),
    );
}
