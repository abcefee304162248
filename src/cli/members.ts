import { Argument, type Command, Option } from 'commander';
import { type Member, type MemberRole, memberRoles } from '../domain/member.ts';
import { findAccount } from '../features/identity/accounts/acts.ts';
import { addMember, listMembers, removeMember, updateMember } from '../features/members/acts.ts';
import { workspaceById } from '../features/workspaces/acts.ts';
import { type CliContext, command, printing, printsFrom, someId } from './command.ts';
import { type Column, shortTime, table } from './output.ts';

const columns: readonly Column<Member>[] = [
  { title: 'id', of: ({ user_id }) => user_id },
  'name',
  'email',
  'role',
  'managed',
  { title: 'since (UTC)', of: ({ created_at }) => shortTime(created_at) },
];

export const whichWorkspace = ['<workspace>', 'the id of the workspace'] as const;
export const whichMember = ['<user>', 'a member: id or e-mail address'] as const;

/** `steno workspaces members`. */
export function memberCommands(program: Command, context: CliContext): void {
  const example = `workspaces members list ${someId}`;
  const commands = command(program, 'members', 'the members of a workspace', example);

  printing(commands, 'list', 'list the members of a workspace', example)
    .argument(...whichWorkspace)
    .action(
      printsFrom(context, async ({ look }, id: string) => {
        const workspace = await workspaceById(look(), id);
        const all = await listMembers(look(), id);
        return [all, table(all, columns, `${workspace.name} has no members.`)];
      }),
    );

  printing(
    commands,
    'add',
    'add a user to a workspace',
    `workspaces members add ${someId} grace@example.org --role admin`,
  )
    .argument(...whichWorkspace)
    .argument('<user>', 'id or e-mail address')
    .addOption(new Option('--role <role>', 'their role').choices(memberRoles).default('member'))
    .action(
      printsFrom(
        context,
        async ({ look, act }, id: string, named: string, { role }: { role: MemberRole }) => {
          const workspace = await workspaceById(look(), id);
          const { id: userId } = await findAccount(look(), named);
          const member = await act((writing) => addMember(writing, id, { userId, role }));
          return [member, `Added ${member.name} to ${workspace.name} as ${member.role}.`];
        },
      ),
    );

  printing(
    commands,
    'set-role',
    'change the role of a member; takes effect at once',
    `workspaces members set-role ${someId} grace@example.org admin`,
  )
    .argument(...whichWorkspace)
    .argument(...whichMember)
    .addArgument(new Argument('<role>', 'admin or member').choices(memberRoles))
    .action(
      printsFrom(context, async ({ look, act }, id: string, named: string, role: MemberRole) => {
        const workspace = await workspaceById(look(), id);
        const { id: userId } = await findAccount(look(), named);
        const member = await act((writing) => updateMember(writing, { workspaceId: id, userId }, { role }));
        return [member, `${member.name} now has the role ${member.role} in ${workspace.name}.`];
      }),
    );

  printing(
    commands,
    'remove',
    'remove a member from a workspace; their account, personal keys and notes stay',
    `workspaces members remove ${someId} grace@example.org --revoke-keys`,
  )
    .argument(...whichWorkspace)
    .argument(...whichMember)
    .option('--revoke-keys', 'also revoke the workspace keys they created')
    .action(
      printsFrom(
        context,
        async ({ look, act }, id: string, named: string, options: { revokeKeys?: true }) => {
          const workspace = await workspaceById(look(), id);
          const user = await findAccount(look(), named);
          const all = await listMembers(look(), id);
          const { workspace_keys = 0 } = all.find(({ user_id }) => user_id === user.id) ?? {};
          const { revokeKeys = false } = options;
          await act((writing) => removeMember(writing, { workspaceId: id, userId: user.id }, { revokeKeys }));
          const removed = { user_id: user.id, removed: true, workspace_keys, revoked_keys: revokeKeys };
          const gone = `${user.name} is no longer a member of ${workspace.name}.`;
          const keys = `Workspace keys they created: ${workspace_keys}, ${revokeKeys ? 'now revoked' : 'still working'}.`;
          return [removed, workspace_keys === 0 ? gone : `${gone}\n${keys}`];
        },
      ),
    );
}
