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
import { type CliContext, command, type Printed, printing, prints } from './command.ts';
import { Failure } from './errors.ts';
import { type AddOptions, addNamed, megabytes, taken } from './models-add.ts';
import { type Column, table } from './output.ts';

export function addModelsCommand(program: Command, context: CliContext): void {
  const models = command(program, 'models', 'speech models: list, add, use, test, remove', 'models list');
  const about = 'the models on this machine, and those that can be downloaded ';
  printing(models, 'list', about, 'models list', { isDefault: true }).action(
    prints(context, () => list(context)),
  );
  command(models, 'add', 'download a model, or copy it from a file', 'models add whisper-small')
    .argument('<model>', 'a name from the list, an address, or a GGML or GGUF file')
    .option('--name <name>', 'what to call it')
    .option('--sha256 <sum>', 'the checksum that the file must have')
    .action((wanted: string, options: AddOptions) => addNamed(context, wanted, options));
  const uses = 'choose the model that servers use from their next start on';
  command(models, 'use', uses, `models use ${boxedName}`)
    .argument('<name>')
    .action((name: string) => use(context, name));
  command(models, 'test', 'transcribe a clip of 11 seconds, in English', 'models test')
    .argument('[name]', 'the model in use, if you name none')
    .action((name?: string) => test(context, name));
  command(models, 'remove', 'delete a model that is not in use', 'models remove whisper-small')
    .argument('<name>')
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

const columns: readonly Column<ListedModel>[] = [
  'name',
  'state',
  { title: 'size', of: ({ bytes }) => megabytes(bytes) },
  { title: 'languages', of: ({ spoken }) => spoken },
  'licence',
];

function list(context: CliContext): Printed {
  const rows = listModels(context);
  const text = `${table(rows, columns, '')}

Where two models are in use, the fallback model recognises what the first one is unsure of, and other languages.
Whisper runs on ONNX Runtime and gives every word with its time and score. GGUF files, such as Parakeet,
run on transcribe-cpp, which gives no scores. Download one with: npx steno models add <name>`;
  return [rows, text];
}

/** The model in use, the others on this machine, and those that can be downloaded. */
function listModels(context: CliContext): ListedModel[] {
  const { model: setting, modelsFolder } = context.config().engine;
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

function use({ config, print }: CliContext, wanted: string): void {
  const { model: setting, modelsFolder } = config().engine;
  const model = requireModel(wanted, modelsFolder);
  chooseModel(modelsFolder, model.name === boxedName ? null : model.name);
  const spoken = model.languages.length === 1 ? 'English only' : `${model.languages.length} languages`;
  print(
    setting === ''
      ? `Servers use ${model.name}${model.languages.length > 0 ? ` (${spoken})` : ''} from their next start on.`
      : `${model.name} is chosen, but STENO_MODEL is set to ${setting}, which comes first. Remove that setting.`,
  );
}

async function test({ config, print }: CliContext, wanted: string | undefined): Promise<void> {
  const settings = config().engine;
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

async function remove({ config, print }: CliContext, wanted: string): Promise<void> {
  const { dataDir, engine } = config();
  const { model: setting, modelsFolder, cacheFolder } = engine;
  const path = requirePath(wanted, modelsFolder);
  if (path === locateModel('').path) throw taken(`${boxedName} comes with Steno and stays.`);
  if (path === locateModel(setting, modelsFolder).path)
    throw taken(`${modelName(path)} is in use. Choose another first: npx steno models use ${boxedName}`);
  // A running server may still use the model chosen before.
  const { lockDataDir } = await import('../platform/database/data-dir-lock.ts');
  const lock = lockDataDir(dataDir);
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
