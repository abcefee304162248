import { rmSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { AppError } from '../domain/errors.ts';
import {
  boxedName,
  cacheFolders,
  createTranscriber,
  fallbackLicence,
  fallbackModelFor,
  fallbackName,
  forgetPrepared,
  hashFile,
  locateModel,
  type ModelFile,
  modelName,
} from '../engines/speech/index.ts';
import { catalogue, knownModel } from '../engines/speech/models/catalogue.ts';
import { chooseModel, installedModels, installedPath } from '../engines/speech/models/folder.ts';
import { shareOfWords, transcribeClip, whenLoaded } from './clip.ts';
import { Failure } from './errors.ts';
import { example } from './help.ts';
import { type AddOptions, addNamed, type HubContext, megabytes } from './models-add.ts';
import { answer, type OutputOptions, table, withJson } from './output.ts';

export interface ModelsContext extends HubContext {
  /** Raises while a server uses the data folder. */
  lockData(): Promise<{ release(): void }>;
}

export function addModelsCommand(program: Command, context: ModelsContext): void {
  const models = program
    .command('models')
    .description('speech models: list, add, use, test, remove')
    .addHelpText('after', example('models list'));
  withJson(models.command('list', { isDefault: true }))
    .description('the models on this machine, and those that can be downloaded')
    .addHelpText('after', example('models list'))
    .action((options: OutputOptions) => list(context, options));
  models
    .command('add')
    .description('download a model, or copy it from a file')
    .argument('<model>', 'a name from the list, an address, or a GGML or GGUF file')
    .option('--name <name>', 'what to call it')
    .option('--sha256 <sum>', 'the checksum that the file must have')
    .addHelpText('after', example('models add whisper-small'))
    .action((wanted: string, options: AddOptions) => addNamed(context, wanted, options));
  models
    .command('use')
    .description('choose the model that servers use from their next start on')
    .argument('<name>')
    .addHelpText('after', example(`models use ${boxedName}`))
    .action((name: string) => use(context, name));
  models
    .command('test')
    .description('transcribe a clip of 11 seconds, in English')
    .argument('[name]', 'the model in use, if you name none')
    .addHelpText('after', example('models test'))
    .action((name?: string) => test(context, name));
  models
    .command('remove')
    .description('delete a model that is not in use')
    .argument('<name>')
    .addHelpText('after', example('models remove whisper-small'))
    .action((name: string) => remove(context, name));
}

interface ListedModel {
  name: string;
  state: 'in use' | 'installed' | 'available' | 'damaged';
  bytes: number;
  /** Language codes; null if they are known only once the model is loaded. */
  languages: readonly string[] | null;
  spoken: string;
  licence: string | null;
  path: string | null;
}

function list(context: ModelsContext, options: OutputOptions): void {
  const rows = listModels(context);
  answer(context, options, rows, () =>
    [
      table(
        rows,
        [
          'name',
          'state',
          { title: 'size', of: ({ bytes }) => megabytes(bytes) },
          { title: 'languages', of: ({ spoken }) => spoken },
          'licence',
        ],
        '',
      ),
      '',
      'Where two models are in use, the fallback model recognises what the first one is unsure of, and other languages.',
      'Whisper runs on ONNX Runtime and gives every word with its time and score. GGUF files, such as Parakeet,',
      'run on transcribe-cpp, which gives no scores. Download one with: npx steno models add <name>',
    ].join('\n'),
  );
}

/** The model in use, the others on this machine, and those that can be downloaded. */
function listModels(context: ModelsContext): ListedModel[] {
  const { model: setting, modelsFolder } = context.engine();
  const used = locateModel(setting, modelsFolder);
  const others = [locateModel('').path, ...installedModels(modelsFolder)].filter(
    (path) => path !== used.path,
  );
  const second = fallbackModelFor(used);
  const here = [
    describe(used, 'in use'),
    ...(second ? [describe(second, 'in use')] : []),
    ...others.map(describeFile),
  ];
  const had = catalogue.filter(({ name }) => here.every((model) => model.name !== name));
  return [
    ...here,
    ...had.map(
      ({ name, bytes, languages, licence }): ListedModel => ({
        name,
        state: 'available',
        bytes,
        languages: null,
        spoken: languages,
        licence,
        path: null,
      }),
    ),
  ];
}

function describeFile(path: string): ListedModel {
  try {
    return describe(locateModel(path), 'installed');
  } catch {
    const { size: bytes } = statSync(path);
    const name = modelName(path);
    return { name, state: 'damaged', bytes, languages: null, spoken: '?', licence: null, path };
  }
}

function describe({ name, bytes, languages, path }: ModelFile, state: ListedModel['state']): ListedModel {
  const known = knownModel(name);
  const count = languages.length === 1 && languages[0] === 'en' ? 'English' : `${languages.length || '?'}`;
  return {
    name,
    state,
    bytes,
    languages: languages.length > 0 ? languages : null,
    spoken: known?.languages ?? count,
    licence: known?.licence ?? (name === fallbackName ? fallbackLicence : null),
    path,
  };
}

function use({ engine, print }: ModelsContext, wanted: string): void {
  const { model: setting, modelsFolder } = engine();
  const model = requireModel(wanted, modelsFolder);
  chooseModel(modelsFolder, model.name === boxedName ? null : model.name);
  const spoken = model.languages.length === 1 ? 'English only' : `${model.languages.length} languages`;
  print(
    setting === ''
      ? `Servers use ${model.name}${model.languages.length > 0 ? ` (${spoken})` : ''} from their next start on.`
      : `${model.name} is chosen, but STENO_MODEL is set to ${setting}, which comes first. Remove that setting.`,
  );
}

async function test({ engine, print }: ModelsContext, wanted: string | undefined): Promise<void> {
  const settings = engine();
  const { model: setting, modelsFolder } = settings;
  const model =
    wanted === undefined ? locateModel(setting, modelsFolder) : requireModel(wanted, modelsFolder);
  const published = knownModel(model.name)?.sha256;
  if (published && (await hashFile(model.path)) !== published)
    throw new Failure(`${model.path} is damaged, or not the published ${model.name}. Add it again.`);
  const transcriber = createTranscriber({ ...settings, engine: 'embedded', model: model.path, workers: 1 });
  try {
    const startedAt = performance.now();
    await whenLoaded(transcriber);
    const loadedAt = performance.now();
    const result = await transcribeClip(transcriber, { deadlineMs: 600_000 });
    const times = [loadedAt - startedAt, performance.now() - loadedAt].map((ms) => (ms / 1000).toFixed(1));
    print(result.text);
    print(
      `${model.name} was loaded in ${times[0]} s and transcribed the clip in ${times[1]} s: language ${result.language ?? 'unknown'}, ${Math.round(shareOfWords(result.text) * 100)} % of its words.`,
    );
  } finally {
    await transcriber.close();
  }
}

async function remove({ engine, print, lockData }: ModelsContext, wanted: string): Promise<void> {
  const { model: setting, modelsFolder, cacheFolder } = engine();
  const path = requirePath(wanted, modelsFolder);
  if (path === locateModel('').path) throw taken(`${boxedName} comes with Steno and stays.`);
  if (path === locateModel(setting, modelsFolder).path)
    throw taken(`${modelName(path)} is in use. Choose another first: npx steno models use ${boxedName}`);
  // A running server may still use the model chosen before.
  const lock = await lockData();
  const { size } = statSync(path);
  forgetPrepared(path, cacheFolders(cacheFolder));
  rmSync(path);
  lock.release();
  print(`Removed ${modelName(path)} (${megabytes(size)}).`);
}

const requireModel = (wanted: string, folder: string) => locateModel(requirePath(wanted, folder));

/** By its name, with or without "whisper-". */
function requirePath(wanted: string, folder: string): string {
  for (const name of [wanted, `whisper-${wanted}`]) {
    const path = name === boxedName ? locateModel('').path : installedPath(folder, name);
    if (path !== null) return path;
  }
  const advice = knownModel(wanted) ? `Add it: npx steno models add ${wanted}` : 'See npx steno models list';
  throw new AppError('not_found', `${wanted} is not on this machine. ${advice}`);
}

const taken = (message: string) => new AppError('conflict', message);
