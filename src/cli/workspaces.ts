import type { Command } from 'commander';
import type { PlanName } from '../domain/plans.ts';
import { maxWorkspaceNameLength, workspace as shownWorkspace } from '../domain/workspace.ts';
import { createWorkspace, setPlan } from '../features/workspaces/acts.ts';
import { all } from '../features/workspaces/queries.ts';
import { type CliContext, command, printing, printsFrom, someId } from './command.ts';
import { chooseUser, plan, text } from './input.ts';
import { memberCommands } from './members.ts';
import { table } from './output.ts';
import { policyCommands } from './policies.ts';

const columns = ['id', 'name', 'plan', 'created_at'] as const;

interface AddOptions {
  name: string;
  admin?: string;
  plan?: PlanName;
}

export function workspaceCommands(program: Command, context: CliContext): void {
  const about = 'teams, with members, spaces and keys';
  const commands = command(program, 'workspaces', about, 'workspaces list');

  memberCommands(commands, context);
  policyCommands(commands, context);

  const example = 'workspaces add --name "Field team" --admin ada@example.org';
  printing(commands, 'add', 'add a workspace', example)
    .requiredOption('--name <name>', 'its name', text('--name', maxWorkspaceNameLength))
    .option('--admin <user>', 'its first admin: id or e-mail address (default: the only user)')
    .option('--plan <plan>', 'free, pro or business (default: STENO_DEFAULT_PLAN)', plan('--plan'))
    .action(
      printsFrom(context, async ({ database, act }, options: AddOptions) => {
        const first = await chooseUser(database.db, options.admin, '--admin');
        const created = await act((writing) => createWorkspace(writing, { userId: first.id }, options));
        const workspace = shownWorkspace.parse(created);
        const { id, name, plan } = workspace;
        return [
          workspace,
          `Added ${name} (${id}), plan ${plan}; its admin is ${first.name}.
Add its first space: npx steno spaces add --workspace ${id} --name "General"
Create a key for it: npx steno keys create --workspace ${id} --name "Bot"`,
        ];
      }),
    );

  printing(commands, 'list', 'list all workspaces', 'workspaces list').action(
    printsFrom(context, async ({ look }) => {
      const workspaces = await all(look().db);
      return [workspaces, table(workspaces, columns, 'There are no workspaces yet.')];
    }),
  );

  const changes = 'change the plan of a workspace; takes effect at once';
  printing(commands, 'set-plan', changes, `workspaces set-plan ${someId} pro`)
    .argument('<id>', 'the id of the workspace')
    .argument('<plan>', 'free, pro or business', plan('The plan'))
    .action(
      printsFrom(context, async ({ act }, id: string, wanted: PlanName) => {
        const workspace = await act((writing) => setPlan(writing, id, wanted));
        return [workspace, `${workspace.name} (${workspace.id}) now has the plan ${workspace.plan}.`];
      }),
    );
}
