import { Argument, type Command, Option } from 'commander';
import { fromSwitches, toSwitches } from '../domain/policy.ts';
import { type CliContext, withServices } from './context.ts';
import { example } from './help.ts';
import { answer, type OutputOptions, withJson } from './output.ts';

type OnOff = 'on' | 'off';
const onOff: readonly OnOff[] = ['on', 'off'];

interface PolicyOptions extends OutputOptions {
  blockTranscription?: OnOff;
  blockBackup?: OnOff;
}

/** The part of `steno workspaces` that is about the members a workspace manages. */
export function policyCommands(workspaces: Command, context: CliContext): void {
  withJson(workspaces.command('policy'))
    .description('show or change what a workspace turns off for the members it manages; it counts at once')
    .argument('<workspace>', 'the id of the workspace')
    .addOption(new Option('--block-transcription <on|off>', 'no POST /transcribe').choices(onOff))
    .addOption(new Option('--block-backup <on|off>', 'no changes to dictionary and snippets').choices(onOff))
    .addHelpText('after', example('workspaces policy 0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e --block-backup on'))
    .action((id: string, options: PolicyOptions) =>
      withServices(context, async ({ policies }) => {
        const changes = fromSwitches({
          block_cloud_transcription: wanted(options.blockTranscription),
          block_cloud_backup: wanted(options.blockBackup),
        });
        const isQuestion = Object.keys(changes).length === 0;
        const blocked = await (isQuestion ? policies.getPolicy(id) : policies.setPolicy(id, changes));
        answer(
          context,
          options,
          toSwitches(blocked),
          () => `Turned off for managed members: ${blocked.join(', ') || 'nothing'}.`,
        );
      }),
    );

  withJson(workspaces.command('manage'))
    .description('say whether a workspace manages a member, so that its policy holds for them')
    .argument('<workspace>', 'the id of the workspace')
    .argument('<user>', 'a member: id or e-mail address')
    .addArgument(new Argument('<state>', 'on or off').choices(onOff))
    .addHelpText(
      'after',
      example('workspaces manage 0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e ada@example.org on'),
    )
    .action((id: string, named: string, state: OnOff, options: OutputOptions) =>
      withServices(context, async ({ admin, members }) => {
        const user = await admin.findUser(named);
        const member = await members.change(id, user.id, { managed: state === 'on' });
        answer(
          context,
          options,
          member,
          () => `${user.name} is ${member.managed ? 'managed' : 'no longer managed'} by ${id}.`,
        );
      }),
    );
}

const wanted = (typed: OnOff | undefined) => (typed === undefined ? undefined : typed === 'on');
