import { Argument, type Command, Option } from 'commander';
import { type PolicyChanges, turnedOffBy } from '../domain/policy.ts';
import { findAccount } from '../features/identity/accounts/acts.ts';
import { updateMember } from '../features/members/acts.ts';
import { readPolicy, updatePolicy } from '../features/workspaces/acts.ts';
import { type CliContext, withServices } from './context.ts';
import { example, someId } from './help.ts';
import { answer, type OutputOptions, withJson } from './output.ts';

type OnOff = 'on' | 'off';
const onOff: readonly OnOff[] = ['on', 'off'];

interface PolicyOptions extends OutputOptions {
  blockTranscription?: OnOff;
  blockBackup?: OnOff;
  blockLanguage?: OnOff;
}

/** `steno workspaces policy` and `steno workspaces manage`. */
export function policyCommands(workspaces: Command, context: CliContext): void {
  withJson(workspaces.command('policy'))
    .description('show or change what a workspace turns off for its managed members; takes effect at once')
    .argument('<workspace>', 'the id of the workspace')
    .addOption(new Option('--block-transcription <on|off>', 'block POST /transcribe').choices(onOff))
    .addOption(
      new Option('--block-backup <on|off>', 'block changes to dictionary and snippets').choices(onOff),
    )
    .addOption(
      new Option('--block-language <on|off>', 'block sending texts to a language model').choices(onOff),
    )
    .addHelpText('after', example(`workspaces policy ${someId} --block-backup on`))
    .action((id: string, options: PolicyOptions) =>
      withServices(context, async ({ look, act }) => {
        const { blockTranscription, blockBackup, blockLanguage } = options;
        const changes: PolicyChanges = {
          ...(blockTranscription && { block_cloud_transcription: blockTranscription === 'on' }),
          ...(blockBackup && { block_cloud_backup: blockBackup === 'on' }),
          ...(blockLanguage && { block_language_models: blockLanguage === 'on' }),
        };
        const isQuestion = Object.keys(changes).length === 0;
        const policy = await (isQuestion
          ? readPolicy(look(), id)
          : act((context) => updatePolicy(context, id, changes)));
        const sentence = () =>
          `Turned off for managed members: ${turnedOffBy(policy).join(', ') || 'nothing'}.`;
        answer(context, options, policy, sentence);
      }),
    );

  withJson(workspaces.command('manage'))
    .description('start or stop managing a member; the policy of a workspace applies to managed members only')
    .argument('<workspace>', 'the id of the workspace')
    .argument('<user>', 'a member: id or e-mail address')
    .addArgument(new Argument('<state>', 'on or off').choices(onOff))
    .addHelpText('after', example(`workspaces manage ${someId} ada@example.org on`))
    .action((id: string, named: string, state: OnOff, options: OutputOptions) =>
      withServices(context, async ({ look, act }) => {
        const user = await findAccount(look(), named);
        const member = await act((context) =>
          updateMember(context, { workspaceId: id, userId: user.id }, { managed: state === 'on' }),
        );
        answer(
          context,
          options,
          member,
          () => `${user.name} is ${member.managed ? 'managed' : 'no longer managed'} by ${id}.`,
        );
      }),
    );
}
