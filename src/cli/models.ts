import { Command } from 'commander';
import { findModel, hashFile, type ModelFile } from '../engines/embedded/model-file.ts';
import { example } from './help.ts';
import type { SpeechContext } from './transcribe.ts';

export const modelsCommand = (context: SpeechContext) =>
  new Command('models')
    .description('show the speech models on this machine, their languages and hashes')
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', example('models'))
    .action(async ({ json = false }: { json?: boolean }) => {
      const models = await listModels(context.engine().model);
      if (json) context.print(JSON.stringify(models, null, 2));
      else for (const model of models) context.print(describe(model));
    });

type ListedModel = Omit<ModelFile, 'sha256'> & { used: boolean; sha256: string; intact: boolean | null };

/** The model of the setting first, then the one that comes with Steno. Raises when the setting names no model. */
async function listModels(setting: string): Promise<ListedModel[]> {
  const files = [await findModel(setting), ...(setting === '' ? [] : [await findModel('')])];
  return Promise.all(
    files.map(async (file, i) => {
      const sha256 = await hashFile(file.path);
      return { ...file, used: i === 0, sha256, intact: file.sha256 === null ? null : file.sha256 === sha256 };
    }),
  );
}

function describe({ name, path, format, bytes, languages, sha256, used, intact }: ListedModel): string {
  const spoken = languages.length > 0 ? languages.join(', ') : 'known when it is loaded';
  const state = intact === false ? ' DAMAGED' : '';
  return [
    `${name}${used ? ' (in use)' : ''}${state}`,
    `  languages  ${spoken}`,
    `  file       ${path} (${format}, ${Math.round(bytes / 1e6)} MB)`,
    `  sha256     ${sha256}`,
  ].join('\n');
}
