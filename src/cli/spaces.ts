import type { Command } from 'commander';
import { archiveSpace, createSpace, listSpaces, updateSpace } from '../features/spaces/acts.ts';
import { maxEmojiLength, maxSpaceDescriptionLength, maxSpaceNameLength } from '../features/spaces/schema.ts';
import { type CliContext, command, printing, printsFrom, someId } from './command.ts';
import { chooseWorkspace, text } from './input.ts';
import { table } from './output.ts';

const columns = ['id', 'name', 'slug', 'emoji', 'description', 'created_at'] as const;
const whichSpace = ['<id>', 'the id of the space'] as const;
const whichWorkspace = ['--workspace <id>', 'the workspace (default: the only one)'] as const;

interface AddOptions {
  name: string;
  workspace?: string;
  description?: string;
  emoji?: string;
}

export function spaceCommands(program: Command, context: CliContext): void {
  const about = 'parts of a workspace, each with its own notes and folders';
  const commands = command(program, 'spaces', about, 'spaces list');

  const example = 'spaces add --name "Interviews" --emoji 🎙';
  printing(commands, 'add', 'add a space to a workspace', example)
    .requiredOption('--name <name>', 'its name', text('--name', maxSpaceNameLength))
    .option(...whichWorkspace)
    .option('--description <text>', 'what it is for', text('--description', maxSpaceDescriptionLength))
    .option('--emoji <emoji>', 'shown next to its name', text('--emoji', maxEmojiLength))
    .action(
      printsFrom(context, async (services, options: AddOptions) => {
        const workspace = await chooseWorkspace(services, options.workspace);
        const space = await services.act((writing) => createSpace(writing, workspace.id, options));
        return [space, `Added ${space.name} (${space.id}) to ${workspace.name}.`];
      }),
    );

  printing(commands, 'list', 'list the spaces of a workspace, without archived ones', 'spaces list')
    .option(...whichWorkspace)
    .action(
      printsFrom(context, async (services, options: { workspace?: string }) => {
        const workspace = await chooseWorkspace(services, options.workspace);
        const all = await listSpaces(services.look(), workspace.id);
        return [all, table(all, columns, `${workspace.name} has no spaces yet.`)];
      }),
    );

  const renames = 'rename a space; its slug does not change';
  printing(commands, 'rename', renames, `spaces rename ${someId} "Field notes"`)
    .argument(...whichSpace)
    .argument('<name>', 'the new name', text('The name', maxSpaceNameLength))
    .action(
      printsFrom(context, async ({ act }, id: string, name: string) => {
        const space = await act((writing) => updateSpace(writing, { id }, { name }));
        return [space, `Renamed the space ${space.id} to ${space.name}.`];
      }),
    );

  const archives = 'hide a space and its notes from every key; nothing is deleted';
  printing(commands, 'archive', archives, `spaces archive ${someId}`)
    .argument(...whichSpace)
    .action(
      printsFrom(context, async ({ act }, id: string) => {
        await act((writing) => archiveSpace(writing, { id }));
        return [{ id, archived: true }, `Archived the space ${id}.`];
      }),
    );
}
