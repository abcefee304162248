import type { Command } from 'commander';
import { AppError } from '../domain/errors.ts';
import type { PlanName } from '../domain/plans.ts';
import { maxUserNameLength, type User } from '../domain/user.ts';
import { addAccount, changeAccount, findAccount, setOperator } from '../features/identity/accounts/acts.ts';
import { list, setSuspended } from '../features/identity/accounts/queries.ts';
import { removeAccount } from '../features/identity/accounts/remove.ts';
import { createSignInLink } from '../features/identity/sessions/sign-in.ts';
import { addressOf } from './address.ts';
import { type CliContext, command, printing, printsFrom, someId } from './command.ts';
import { chooseUser, email, plan, text } from './input.ts';
import { table } from './output.ts';

const columns = ['id', 'name', 'email', 'plan', 'created_at'] as const;
const whichUser = ['<user>', 'id or e-mail address'] as const;
const named = ({ name, id }: User) => `${name} (${id})`;

interface AddOptions {
  name: string;
  email?: string;
  plan?: PlanName;
}

export function userCommands(program: Command, context: CliContext): void {
  const commands = command(program, 'users', 'user accounts', 'users list');

  printing(
    commands,
    'add',
    'add a user; create their first key with "keys create"',
    'users add --name "Ada Lovelace" --email ada@example.org --plan pro',
  )
    .requiredOption('--name <name>', 'their name', text('--name', maxUserNameLength))
    .option('--email <address>', 'for signing in; one account per address', email('--email'))
    .option('--plan <plan>', 'free, pro or business (default: STENO_DEFAULT_PLAN)', plan('--plan'))
    .action(
      printsFrom(context, async ({ act }, draft: AddOptions) => {
        const user = await act((writing) => addAccount(writing, draft));
        const next = `npx steno keys create --user ${user.id} --name "My laptop"`;
        return [user, `Added ${named(user)}, plan ${user.plan}.\nCreate a key for them: ${next}`];
      }),
    );

  printing(commands, 'list', 'list all users', 'users list --json').action(
    printsFrom(context, async ({ look }) => {
      const all = await list(look().db);
      return [all, table(all, columns, 'There are no users yet.')];
    }),
  );

  const change = (field: 'plan' | 'email' | 'name', say: (user: User) => string) =>
    printsFrom(context, async ({ act }, who: string, wanted: string) => {
      const user = await act((writing) => changeAccount(writing, who, { [field]: wanted }));
      return [user, say(user)];
    });
  const setPlan = 'change the plan of a user; takes effect at once';
  printing(commands, 'set-plan', setPlan, 'users set-plan ada@example.org business')
    .argument(...whichUser)
    .argument('<plan>', 'free, pro or business', plan('The plan'))
    .action(change('plan', (user) => `${named(user)} now has the plan ${user.plan}.`));
  const setEmail = 'set the e-mail address that a user signs in with';
  printing(commands, 'set-email', setEmail, `users set-email ${someId} ada@example.org`)
    .argument(...whichUser)
    .argument('<address>', 'the new address; one account per address', email('The address'))
    .action(change('email', (user) => `${named(user)} now signs in with ${user.email}.`));
  printing(commands, 'set-name', "change a user's name", 'users set-name ada@example.org "Ada King"')
    .argument(...whichUser)
    .argument('<name>', 'the new name', text('The name', maxUserNameLength))
    .action(change('name', (user) => `The name of ${user.id} is now ${user.name}.`));

  printing(
    commands,
    'operator',
    'let a user see and govern the server in the console; it does not let them read notes',
    'users operator ada@example.org',
  )
    .argument(...whichUser)
    .option('--remove', 'take the right away')
    .action(
      printsFrom(context, async ({ act }, who: string, { remove = false }: { remove?: boolean }) => {
        const user = await act((writing) => setOperator(writing, who, !remove));
        const text = `${named(user)} is ${remove ? 'no longer' : 'now'} an operator.`;
        return [{ ...user, is_operator: !remove }, text];
      }),
    );

  const suspending = (suspended: boolean) =>
    printsFrom(context, async ({ act }, who: string) => {
      const user = await act(async (writing) => {
        const found = await findAccount(writing, who);
        await setSuspended(writing, found.id, suspended ? writing.now : null);
        return found;
      });
      return [{ ...user, suspended }, `${named(user)} ${suspended ? 'is suspended' : 'can work again'}.`];
    });
  printing(
    commands,
    'suspend',
    'stop all sessions and keys of a user at once, on all servers; nothing is deleted',
    'users suspend ada@example.org',
  )
    .argument(...whichUser)
    .action(suspending(true));
  printing(commands, 'resume', 'let a suspended user work again', 'users resume ada@example.org')
    .argument(...whichUser)
    .action(suspending(false));

  printing(
    commands,
    'sign-in-link',
    'print a link that signs a user in to the console; it works once, for 15 minutes',
    'users sign-in-link ada@example.org',
  )
    .argument('[user]', 'id or e-mail address (default: the only user)')
    .action(
      printsFrom(context, async ({ act, look }, who: string | undefined) => {
        const user = await chooseUser(look().db, who, '"users sign-in-link USER"');
        const { path, expires_at } = await act((writing) => createSignInLink(writing, user.id));
        const url = addressOf(undefined, context.config()) + path;
        return [{ url, expires_at }, url];
      }),
    );

  printing(
    commands,
    'remove',
    'delete a user with their personal keys, notes and folders; this cannot be undone',
    'users remove ada@example.org --yes',
  )
    .argument(...whichUser)
    .option('--yes', 'confirm the deletion')
    .action(
      printsFrom(context, async ({ act, look }, who: string, { yes }: { yes?: true }) => {
        const found = await findAccount(look(), who);
        if (!yes)
          throw new AppError(
            'forbidden',
            `This deletes ${named(found)} with all personal keys, notes and folders, and cannot be undone; add --yes to do it.`,
          );
        const user = await act((writing) => removeAccount(writing, found.id), { locks: true });
        return [user, `Removed ${named(user)}.`];
      }),
    );
}
