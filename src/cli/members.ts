import { Argument, type Command, Option } from 'commander';
import { type Member, type MemberRole, memberRoles } from '../domain/member.ts';
import { type CliContext, withServices } from './context.ts';
import { example } from './help.ts';
import { answer, type Column, type OutputOptions, shortTime, table, withJson } from './output.ts';

const columns: readonly Column<Member>[] = [
  { title: 'id', of: ({ user_id }) => user_id },
  { title: 'name', of: ({ name }) => name },
  { title: 'e-mail', of: ({ email }) => email },
  { title: 'role', of: ({ role }) => role },
  { title: 'managed', of: ({ managed }) => (managed ? 'yes' : 'no') },
  { title: 'since (UTC)', of: ({ created_at }) => shortTime(created_at) },
];

const whichWorkspace = ['<workspace>', 'the id of the workspace'] as const;
const someWorkspace = '0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e';

/** The part of `steno workspaces` that is about who is in one. */
export function memberCommands(workspaces: Command, context: CliContext): void {
  const members = workspaces
    .command('members')
    .description('the people of a workspace')
    .addHelpText('after', example(`workspaces members list ${someWorkspace}`));

  withJson(members.command('list'))
    .description('list the members of a workspace')
    .argument(...whichWorkspace)
    .addHelpText('after', example(`workspaces members list ${someWorkspace}`))
    .action((id: string, options: OutputOptions) =>
      withServices(context, async ({ admin, members }) => {
        const workspace = await admin.findWorkspace(id);
        const all = await members.list(workspace.id);
        answer(context, options, all, () => table(all, columns, `${workspace.name} has no members.`));
      }),
    );

  withJson(members.command('add'))
    .description('make a person a member of a workspace')
    .argument(...whichWorkspace)
    .argument('<user>', 'id or e-mail address')
    .addOption(new Option('--role <role>', 'what they may do').choices(memberRoles).default('member'))
    .addHelpText('after', example(`workspaces members add ${someWorkspace} grace@example.org --role admin`))
    .action((id: string, named: string, options: OutputOptions & { role: MemberRole }) =>
      withServices(context, async ({ admin, members }) => {
        const workspace = await admin.findWorkspace(id);
        const user = await admin.findUser(named);
        const member = await members.add(workspace.id, user.id, options.role);
        answer(
          context,
          options,
          member,
          () => `Added ${member.name} to ${workspace.name} as ${member.role}.`,
        );
      }),
    );

  withJson(members.command('set-role'))
    .description('change what a member may do; it counts at once')
    .argument(...whichWorkspace)
    .argument('<user>', 'a member: id or e-mail address')
    .addArgument(new Argument('<role>', 'admin or member').choices(memberRoles))
    .addHelpText('after', example(`workspaces members set-role ${someWorkspace} grace@example.org admin`))
    .action((id: string, named: string, role: MemberRole, options: OutputOptions) =>
      withServices(context, async ({ admin, members }) => {
        const workspace = await admin.findWorkspace(id);
        const user = await admin.findUser(named);
        const member = await members.change(workspace.id, user.id, { role });
        answer(context, options, member, () => `${member.name} is ${member.role} of ${workspace.name} now.`);
      }),
    );

  withJson(members.command('remove'))
    .description('take a member out of a workspace; their account and their keys stay')
    .argument(...whichWorkspace)
    .argument('<user>', 'a member: id or e-mail address')
    .addHelpText('after', example(`workspaces members remove ${someWorkspace} grace@example.org`))
    .action((id: string, named: string, options: OutputOptions) =>
      withServices(context, async ({ admin, members }) => {
        const workspace = await admin.findWorkspace(id);
        const user = await admin.findUser(named);
        await members.remove(workspace.id, user.id);
        const removed = { user_id: user.id, removed: true };
        answer(context, options, removed, () => `${user.name} is no longer a member of ${workspace.name}.`);
      }),
    );
}
