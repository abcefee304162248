import type { Command } from 'commander';
import type { PlanName } from '../domain/plans.ts';
import { maxWorkspaceNameLength, type Workspace } from '../domain/workspace.ts';
import { type CliContext, withServices } from './context.ts';
import { example } from './help.ts';
import { chooseUser, plan, text } from './input.ts';
import { memberCommands } from './members.ts';
import { answer, type Column, type OutputOptions, shortTime, table, withJson } from './output.ts';
import { policyCommands } from './policy.ts';

const columns: readonly Column<Workspace>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'name', of: ({ name }) => name },
  { title: 'plan', of: ({ plan }) => plan },
  { title: 'created (UTC)', of: ({ created_at }) => shortTime(created_at) },
];

interface AddOptions extends OutputOptions {
  name: string;
  admin?: string;
  plan?: PlanName;
}

export function workspaceCommands(program: Command, context: CliContext): void {
  const workspaces = program
    .command('workspaces')
    .description('teams; their notes live in spaces')
    .addHelpText('after', example('workspaces list'));

  memberCommands(workspaces, context);
  policyCommands(workspaces, context);

  withJson(workspaces.command('add'))
    .description('add a workspace')
    .requiredOption('--name <name>', 'what it is called', text('--name', maxWorkspaceNameLength))
    .option('--admin <user>', 'its first admin: id or e-mail address (default: the only user)')
    .option('--plan <plan>', 'free, pro or business (default: STENO_DEFAULT_PLAN)', plan('--plan'))
    .addHelpText('after', example('workspaces add --name "Field team" --admin ada@example.org'))
    .action((options: AddOptions) =>
      withServices(context, async ({ admin }) => {
        const first = await chooseUser(admin, options.admin, '--admin');
        const workspace = await admin.addWorkspace({
          name: options.name,
          plan: options.plan ?? context.config().defaultPlan,
          adminId: first.id,
        });
        answer(
          context,
          options,
          workspace,
          () => `Added ${workspace.name} (${workspace.id}), plan ${workspace.plan}; its admin is ${first.name}.
Its first space: npx steno spaces add --workspace ${workspace.id} --name "General"
A key for it: npx steno keys create --workspace ${workspace.id} --name "Bot"`,
        );
      }),
    );

  withJson(workspaces.command('list'))
    .description('list all workspaces')
    .addHelpText('after', example('workspaces list'))
    .action((options: OutputOptions) =>
      withServices(context, async ({ admin }) => {
        const all = await admin.listWorkspaces();
        answer(context, options, all, () => table(all, columns, 'There are no workspaces yet.'));
      }),
    );

  withJson(workspaces.command('set-plan'))
    .description('change the plan of a workspace; it counts at once')
    .argument('<id>', 'the id of the workspace')
    .argument('<plan>', 'free, pro or business', plan('The plan'))
    .addHelpText('after', example('workspaces set-plan 0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e pro'))
    .action((id: string, wanted: PlanName, options: OutputOptions) =>
      withServices(context, async ({ admin }) => {
        const workspace = await admin.setWorkspacePlan(id, wanted);
        answer(
          context,
          options,
          workspace,
          () => `${workspace.name} (${workspace.id}) has the plan ${workspace.plan} now.`,
        );
      }),
    );
}
