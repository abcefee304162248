import { Argument, type Command, Option } from 'commander';
import { type PolicyChanges, turnedOffBy } from '../domain/policy.ts';
import { findAccount } from '../features/identity/accounts/acts.ts';
import { updateMember } from '../features/members/acts.ts';
import { readPolicy, updatePolicy } from '../features/workspaces/acts.ts';
import { type CliContext, printing, printsFrom, someId } from './command.ts';
import { whichMember, whichWorkspace } from './members.ts';

type OnOff = 'on' | 'off';
const onOff: readonly OnOff[] = ['on', 'off'];
const turning = (flag: string, about: string) => new Option(flag, about).choices(onOff);

interface PolicyOptions {
  blockTranscription?: OnOff;
  blockBackup?: OnOff;
  blockLanguage?: OnOff;
}

/** `steno workspaces policy` and `steno workspaces manage`. */
export function policyCommands(workspaces: Command, context: CliContext): void {
  printing(
    workspaces,
    'policy',
    'show or change what a workspace turns off for its managed members; takes effect at once',
    `workspaces policy ${someId} --block-backup on`,
  )
    .argument(...whichWorkspace)
    .addOption(turning('--block-transcription <on|off>', 'block POST /transcribe'))
    .addOption(turning('--block-backup <on|off>', 'block changes to dictionary and snippets'))
    .addOption(turning('--block-language <on|off>', 'block sending texts to a language model'))
    .action(
      printsFrom(context, async ({ look, act }, id: string, options: PolicyOptions) => {
        const { blockTranscription, blockBackup, blockLanguage } = options;
        const changes: PolicyChanges = {
          ...(blockTranscription && { block_cloud_transcription: blockTranscription === 'on' }),
          ...(blockBackup && { block_cloud_backup: blockBackup === 'on' }),
          ...(blockLanguage && { block_language_models: blockLanguage === 'on' }),
        };
        const isQuestion = Object.keys(changes).length === 0;
        const policy = await (isQuestion
          ? readPolicy(look(), id)
          : act((writing) => updatePolicy(writing, id, changes)));
        return [policy, `Turned off for managed members: ${turnedOffBy(policy).join(', ') || 'nothing'}.`];
      }),
    );

  printing(
    workspaces,
    'manage',
    'start or stop managing a member; the policy of a workspace applies to managed members only',
    `workspaces manage ${someId} ada@example.org on`,
  )
    .argument(...whichWorkspace)
    .argument(...whichMember)
    .addArgument(new Argument('<state>', 'on or off').choices(onOff))
    .action(
      printsFrom(context, async ({ look, act }, id: string, named: string, state: OnOff) => {
        const user = await findAccount(look(), named);
        const managed = state === 'on';
        const member = await act((writing) =>
          updateMember(writing, { workspaceId: id, userId: user.id }, { managed }),
        );
        return [member, `${user.name} is ${managed ? 'managed' : 'no longer managed'} by ${id}.`];
      }),
    );
}
