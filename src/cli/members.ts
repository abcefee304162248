import { Argument, type Command, Option } from 'commander';
import { type Member, type MemberRole, memberRoles } from '../domain/member.ts';
import { findAccount } from '../features/identity/accounts/acts.ts';
import { addMember, listMembers, removeMember, updateMember } from '../features/members/acts.ts';
import { workspaceById } from '../features/workspaces/acts.ts';
import { type CliContext, withServices } from './context.ts';
import { example, someId } from './help.ts';
import { answer, type Column, type OutputOptions, shortTime, table, withJson } from './output.ts';

const columns: readonly Column<Member>[] = [
  { title: 'id', of: ({ user_id }) => user_id },
  'name',
  'email',
  'role',
  'managed',
  { title: 'since (UTC)', of: ({ created_at }) => shortTime(created_at) },
];

const whichWorkspace = ['<workspace>', 'the id of the workspace'] as const;

/** `steno workspaces members`. */
export function memberCommands(program: Command, context: CliContext): void {
  const commands = program
    .command('members')
    .description('the members of a workspace')
    .addHelpText('after', example(`workspaces members list ${someId}`));

  withJson(commands.command('list'))
    .description('list the members of a workspace')
    .argument(...whichWorkspace)
    .addHelpText('after', example(`workspaces members list ${someId}`))
    .action((id: string, options: OutputOptions) =>
      withServices(context, async ({ look }) => {
        const workspace = await workspaceById(look(), id);
        const all = await listMembers(look(), id);
        answer(context, options, all, () => table(all, columns, `${workspace.name} has no members.`));
      }),
    );

  withJson(commands.command('add'))
    .description('add a user to a workspace')
    .argument(...whichWorkspace)
    .argument('<user>', 'id or e-mail address')
    .addOption(new Option('--role <role>', 'their role').choices(memberRoles).default('member'))
    .addHelpText('after', example(`workspaces members add ${someId} grace@example.org --role admin`))
    .action((id: string, named: string, options: OutputOptions & { role: MemberRole }) =>
      withServices(context, async ({ look, act }) => {
        const workspace = await workspaceById(look(), id);
        const user = await findAccount(look(), named);
        const member = await act((context) =>
          addMember(context, id, { userId: user.id, role: options.role }),
        );
        answer(
          context,
          options,
          member,
          () => `Added ${member.name} to ${workspace.name} as ${member.role}.`,
        );
      }),
    );

  withJson(commands.command('set-role'))
    .description('change the role of a member; takes effect at once')
    .argument(...whichWorkspace)
    .argument('<user>', 'a member: id or e-mail address')
    .addArgument(new Argument('<role>', 'admin or member').choices(memberRoles))
    .addHelpText('after', example(`workspaces members set-role ${someId} grace@example.org admin`))
    .action((id: string, named: string, role: MemberRole, options: OutputOptions) =>
      withServices(context, async ({ look, act }) => {
        const workspace = await workspaceById(look(), id);
        const user = await findAccount(look(), named);
        const member = await act((context) =>
          updateMember(context, { workspaceId: id, userId: user.id }, { role }),
        );
        answer(
          context,
          options,
          member,
          () => `${member.name} now has the role ${member.role} in ${workspace.name}.`,
        );
      }),
    );

  withJson(commands.command('remove'))
    .description('remove a member from a workspace; their account, personal keys and notes stay')
    .argument(...whichWorkspace)
    .argument('<user>', 'a member: id or e-mail address')
    .option('--revoke-keys', 'also revoke the workspace keys they created')
    .addHelpText('after', example(`workspaces members remove ${someId} grace@example.org --revoke-keys`))
    .action((id: string, named: string, options: OutputOptions & { revokeKeys?: true }) =>
      withServices(context, async ({ look, act }) => {
        const workspace = await workspaceById(look(), id);
        const user = await findAccount(look(), named);
        const all = await listMembers(look(), id);
        const { workspace_keys = 0 } = all.find(({ user_id }) => user_id === user.id) ?? {};
        const { revokeKeys = false } = options;
        await act((context) => removeMember(context, { workspaceId: id, userId: user.id }, { revokeKeys }));
        const removed = { user_id: user.id, removed: true, workspace_keys, revoked_keys: revokeKeys };
        const gone = `${user.name} is no longer a member of ${workspace.name}.`;
        const keys = `Workspace keys they created: ${workspace_keys}, ${revokeKeys ? 'now revoked' : 'still working'}.`;
        answer(context, options, removed, () => (workspace_keys === 0 ? gone : `${gone}\n${keys}`));
      }),
    );
}
