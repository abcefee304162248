import type { Command } from 'commander';
import { archiveSpace, createSpace, listSpaces, updateSpace } from '../features/spaces/acts.ts';
import { maxEmojiLength, maxSpaceDescriptionLength, maxSpaceNameLength } from '../features/spaces/schema.ts';
import { type CliContext, withServices } from './context.ts';
import { example, someId } from './help.ts';
import { chooseWorkspace, text } from './input.ts';
import { answer, type OutputOptions, table, withJson } from './output.ts';

const columns = ['id', 'name', 'slug', 'emoji', 'description', 'created_at'] as const;

interface AddOptions extends OutputOptions {
  name: string;
  workspace?: string;
  description?: string;
  emoji?: string;
}

const whichWorkspace = ['--workspace <id>', 'the workspace (default: the only one)'] as const;

export function spaceCommands(program: Command, context: CliContext): void {
  const commands = program
    .command('spaces')
    .description('parts of a workspace, each with its own notes and folders')
    .addHelpText('after', example('spaces list'));

  withJson(commands.command('add'))
    .description('add a space to a workspace')
    .requiredOption('--name <name>', 'its name', text('--name', maxSpaceNameLength))
    .option(...whichWorkspace)
    .option('--description <text>', 'what it is for', text('--description', maxSpaceDescriptionLength))
    .option('--emoji <emoji>', 'shown next to its name', text('--emoji', maxEmojiLength))
    .addHelpText('after', example('spaces add --name "Interviews" --emoji 🎙'))
    .action((options: AddOptions) =>
      withServices(context, async (services) => {
        const workspace = await chooseWorkspace(services, options.workspace);
        const space = await services.act((context) => createSpace(context, workspace.id, options));
        answer(context, options, space, () => `Added ${space.name} (${space.id}) to ${workspace.name}.`);
      }),
    );

  withJson(commands.command('list'))
    .description('list the spaces of a workspace, without archived ones')
    .option(...whichWorkspace)
    .addHelpText('after', example('spaces list'))
    .action((options: OutputOptions & { workspace?: string }) =>
      withServices(context, async (services) => {
        const workspace = await chooseWorkspace(services, options.workspace);
        const all = await listSpaces(services.look(), workspace.id);
        answer(context, options, all, () => table(all, columns, `${workspace.name} has no spaces yet.`));
      }),
    );

  withJson(commands.command('rename'))
    .description('rename a space; its slug does not change')
    .argument('<id>', 'the id of the space')
    .argument('<name>', 'the new name', text('The name', maxSpaceNameLength))
    .addHelpText('after', example(`spaces rename ${someId} "Field notes"`))
    .action((id: string, name: string, options: OutputOptions) =>
      withServices(context, async ({ act }) => {
        const space = await act((context) => updateSpace(context, { id }, { name }));
        answer(context, options, space, () => `Renamed the space ${space.id} to ${space.name}.`);
      }),
    );

  withJson(commands.command('archive'))
    .description('hide a space and its notes from every key; nothing is deleted')
    .argument('<id>', 'the id of the space')
    .addHelpText('after', example(`spaces archive ${someId}`))
    .action((id: string, options: OutputOptions) =>
      withServices(context, async ({ act }) => {
        await act((context) => archiveSpace(context, { id }));
        answer(context, options, { id, archived: true }, () => `Archived the space ${id}.`);
      }),
    );
}
