import { Argument, type Command, Option } from 'commander';
import type { Policy } from '../domain/policy.ts';
import { type CliContext, withServices } from './context.ts';
import { example } from './help.ts';

type OnOff = 'on' | 'off';
const onOff: readonly OnOff[] = ['on', 'off'];

interface PolicyOptions {
  blockTranscription?: OnOff;
  blockBackup?: OnOff;
}

/** The part of `steno workspaces` that is about the members a workspace manages. */
export function policyCommands(workspaces: Command, context: CliContext): void {
  workspaces
    .command('policy')
    .description('show or change what a workspace turns off for the members it manages; it counts at once')
    .argument('<workspace>', 'the id of the workspace')
    .addOption(new Option('--block-transcription <on|off>', 'no POST /transcribe').choices(onOff))
    .addOption(new Option('--block-backup <on|off>', 'no changes to dictionary and snippets').choices(onOff))
    .addHelpText('after', example('workspaces policy 0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e --block-backup on'))
    .action((id: string, options: PolicyOptions) =>
      withServices(context, async ({ policies }) => {
        const changes = {
          ...change('cloud transcription', options.blockTranscription),
          ...change('cloud backup', options.blockBackup),
        };
        const isQuestion = Object.keys(changes).length === 0;
        const blocked = await (isQuestion ? policies.getPolicy(id) : policies.setPolicy(id, changes));
        context.print(`Turned off for managed members: ${blocked.join(', ') || 'nothing'}.`);
      }),
    );

  workspaces
    .command('manage')
    .description('say whether a workspace manages a member, so that its policy holds for them')
    .argument('<workspace>', 'the id of the workspace')
    .argument('<user>', 'a member: id or e-mail address')
    .addArgument(new Argument('<state>', 'on or off').choices(onOff))
    .addHelpText(
      'after',
      example('workspaces manage 0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e ada@example.org on'),
    )
    .action((id: string, named: string, state: OnOff) =>
      withServices(context, async ({ admin, policies }) => {
        const user = await admin.findUser(named);
        await policies.setManaged(id, user.id, state === 'on');
        context.print(`${user.name} is ${state === 'on' ? 'managed' : 'no longer managed'} by ${id}.`);
      }),
    );
}

const change = (policy: Policy, wanted: OnOff | undefined) =>
  wanted === undefined ? {} : { [policy]: wanted === 'on' };
