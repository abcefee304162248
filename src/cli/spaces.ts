import type { Command } from 'commander';
import {
  maxEmojiLength,
  maxSpaceDescriptionLength,
  maxSpaceNameLength,
  type Space,
} from '../domain/space.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Admin } from '../services/admin.ts';
import { type CliContext, withServices } from './context.ts';
import { UsageError } from './errors.ts';
import { example } from './help.ts';
import { text } from './input.ts';
import { answer, type Column, type OutputOptions, shortTime, table, withJson } from './output.ts';

const columns: readonly Column<Space>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'name', of: ({ name }) => name },
  { title: 'slug', of: ({ slug }) => slug },
  { title: 'emoji', of: ({ emoji }) => emoji },
  { title: 'description', of: ({ description }) => description },
  { title: 'created (UTC)', of: ({ created_at }) => shortTime(created_at) },
];

interface AddOptions extends OutputOptions {
  name: string;
  workspace?: string;
  description?: string;
  emoji?: string;
}

const whichWorkspace = ['--workspace <id>', 'the workspace (default: the only one)'] as const;

export function spaceCommands(program: Command, context: CliContext): void {
  const spaces = program
    .command('spaces')
    .description('where the notes of a workspace live')
    .addHelpText('after', example('spaces list'));

  withJson(spaces.command('add'))
    .description('add a space to a workspace')
    .requiredOption('--name <name>', 'what it is called', text('--name', maxSpaceNameLength))
    .option(...whichWorkspace)
    .option('--description <text>', 'what it is for', text('--description', maxSpaceDescriptionLength))
    .option('--emoji <emoji>', 'shown beside its name', text('--emoji', maxEmojiLength))
    .addHelpText('after', example('spaces add --name "Interviews" --emoji 🎙'))
    .action((options: AddOptions) =>
      withServices(context, async ({ admin }) => {
        const workspace = await chooseWorkspace(admin, options.workspace);
        const space = await admin.addSpace({
          workspaceId: workspace.id,
          name: options.name,
          description: options.description ?? null,
          emoji: options.emoji ?? null,
        });
        answer(context, options, space, () => `Added ${space.name} (${space.id}) to ${workspace.name}.`);
      }),
    );

  withJson(spaces.command('list'))
    .description('list the spaces of a workspace, archived ones left out')
    .option(...whichWorkspace)
    .addHelpText('after', example('spaces list'))
    .action((options: OutputOptions & { workspace?: string }) =>
      withServices(context, async ({ admin }) => {
        const workspace = await chooseWorkspace(admin, options.workspace);
        const all = await admin.listSpaces(workspace.id);
        answer(context, options, all, () => table(all, columns, `${workspace.name} has no spaces yet.`));
      }),
    );

  withJson(spaces.command('rename'))
    .description('give a space another name; its slug stays')
    .argument('<id>', 'the id of the space')
    .argument('<name>', 'the new name', text('The name', maxSpaceNameLength))
    .addHelpText('after', example('spaces rename 0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e "Field notes"'))
    .action((id: string, name: string, options: OutputOptions) =>
      withServices(context, async ({ admin }) => {
        const space = await admin.renameSpace(id, name);
        answer(context, options, space, () => `The space ${space.id} is called ${space.name} now.`);
      }),
    );

  withJson(spaces.command('archive'))
    .description('hide a space and its notes from every key; nothing is deleted')
    .argument('<id>', 'the id of the space')
    .addHelpText('after', example('spaces archive 0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e'))
    .action((id: string, options: OutputOptions) =>
      withServices(context, async ({ admin }) => {
        await admin.archiveSpace(id);
        answer(context, options, { id, archived: true }, () => `Archived the space ${id}.`);
      }),
    );
}

async function chooseWorkspace(admin: Admin, named: string | undefined): Promise<Workspace> {
  if (named !== undefined) return admin.findWorkspace(named);
  const [only, ...others] = await admin.listWorkspaces();
  if (only === undefined)
    throw new UsageError('There is no workspace yet; add one with "steno workspaces add".');
  if (others.length > 0) throw new UsageError('There are several workspaces: say which with --workspace.');
  return only;
}
