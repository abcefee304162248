import type { Command } from 'commander';
import type { PlanName } from '../domain/plans.ts';
import { maxWorkspaceNameLength, workspace as shownWorkspace } from '../domain/workspace.ts';
import { createWorkspace, setPlan } from '../features/workspaces/acts.ts';
import { all } from '../features/workspaces/queries.ts';
import { type CliContext, withServices } from './context.ts';
import { example, someId } from './help.ts';
import { chooseUser, plan, text } from './input.ts';
import { memberCommands } from './members.ts';
import { answer, type OutputOptions, table, withJson } from './output.ts';
import { policyCommands } from './policies.ts';

const columns = ['id', 'name', 'plan', 'created_at'] as const;

interface AddOptions extends OutputOptions {
  name: string;
  admin?: string;
  plan?: PlanName;
}

export function workspaceCommands(program: Command, context: CliContext): void {
  const commands = program
    .command('workspaces')
    .description('teams, with members, spaces and keys')
    .addHelpText('after', example('workspaces list'));

  memberCommands(commands, context);
  policyCommands(commands, context);

  withJson(commands.command('add'))
    .description('add a workspace')
    .requiredOption('--name <name>', 'its name', text('--name', maxWorkspaceNameLength))
    .option('--admin <user>', 'its first admin: id or e-mail address (default: the only user)')
    .option('--plan <plan>', 'free, pro or business (default: STENO_DEFAULT_PLAN)', plan('--plan'))
    .addHelpText('after', example('workspaces add --name "Field team" --admin ada@example.org'))
    .action((options: AddOptions) =>
      withServices(context, async ({ database, act }) => {
        const first = await chooseUser(database.db, options.admin, '--admin');
        const created = await act((context) => createWorkspace(context, { userId: first.id }, options));
        const workspace = shownWorkspace.parse(created);
        answer(
          context,
          options,
          workspace,
          () => `Added ${workspace.name} (${workspace.id}), plan ${workspace.plan}; its admin is ${first.name}.
Add its first space: npx steno spaces add --workspace ${workspace.id} --name "General"
Create a key for it: npx steno keys create --workspace ${workspace.id} --name "Bot"`,
        );
      }),
    );

  withJson(commands.command('list'))
    .description('list all workspaces')
    .addHelpText('after', example('workspaces list'))
    .action((options: OutputOptions) =>
      withServices(context, async ({ look }) => {
        const workspaces = await all(look().db);
        answer(context, options, workspaces, () =>
          table(workspaces, columns, 'There are no workspaces yet.'),
        );
      }),
    );

  withJson(commands.command('set-plan'))
    .description('change the plan of a workspace; takes effect at once')
    .argument('<id>', 'the id of the workspace')
    .argument('<plan>', 'free, pro or business', plan('The plan'))
    .addHelpText('after', example(`workspaces set-plan ${someId} pro`))
    .action((id: string, wanted: PlanName, options: OutputOptions) =>
      withServices(context, async ({ act }) => {
        const workspace = await act((context) => setPlan(context, id, wanted));
        answer(
          context,
          options,
          workspace,
          () => `${workspace.name} (${workspace.id}) now has the plan ${workspace.plan}.`,
        );
      }),
    );
}
