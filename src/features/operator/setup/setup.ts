import { parse } from 'node:path';
import { BadSettings, type Config, readConfig } from '../../../config.ts';
import { parseEmail, type SignUpRule } from '../../../domain/email.ts';
import { conflict, invalid, serviceUnavailable } from '../../../domain/errors.ts';
import type { Check } from '../../../domain/status.ts';
import { normalizeEmail } from '../../../domain/user.ts';
import { boxedName } from '../../../engines/speech/index.ts';
import { chooseModel, chosenModel, installedModels } from '../../../engines/speech/models/folder.ts';
import type { Settings } from '../../../env-file.ts';
import type { Context, StreamContext, Writing } from '../../../kernel/context.ts';
import type { OpenSetup } from '../../../kernel/parts.ts';
import { addToSettingsFile, readSettingsFile, withoutEmpty } from '../../../settings-file.ts';
import { update } from '../../identity/accounts/queries.ts';
import { checkEntered, requireBackupPlace } from './entered.ts';
import { endSetup, isSetupOpenFor, setupOwner } from './queries.ts';
import { type Entered, type Setup, type SetupItem, setupFields } from './schema.ts';

/** Raises `conflict` once set-up is over, and for every account but the first. */
async function requireOpen(context: Context): Promise<OpenSetup> {
  const { setup } = context.parts;
  if (setup === null || !(await isSetupOpenFor(context, context.who.userId))) throw over();
  return setup;
}

/** The models on this server; none if the environment or another server decides. */
const modelsOf = ({ engine }: Config) =>
  engine.engine === 'embedded' && engine.model === ''
    ? [boxedName, ...installedModels(engine.modelsFolder).map((path) => parse(path).name)]
    : [];

export async function look(context: Context): Promise<Setup> {
  const { config, setup } = context.parts;
  const isOpen = await isSetupOpenFor(context, context.who.userId);
  return {
    state: setup?.isApplying ? 'applying' : isOpen ? 'open' : 'closed',
    problem: isOpen ? (setup?.problem ?? null) : null,
    models: modelsOf(config),
    items: describeSetup(config, withoutEmpty(setup?.environment ?? {})),
  };
}

/** Checked by the rules of the environment. Raises `conflict` for a setting that comes from there. */
function read(config: Config, host: OpenSetup, entered: Entered): { values: Settings; next: Config } {
  const { dataDir } = config;
  const environment = withoutEmpty(host.environment);
  const values: Settings = {};
  for (const field of setupFields) {
    const [name, value] = [settingOf(field), entered[field]];
    if (!value) continue;
    if (environment[name])
      throw conflict(`${name} is set by the environment of the server; change it there.`);
    values[name] = value;
  }
  if (values.STENO_BACKUP_URL) requireBackupPlace(values.STENO_BACKUP_URL, config.recordings.folder);
  try {
    return { values, next: readConfig({ ...readSettingsFile(dataDir), ...values, ...environment }) };
  } catch (cause) {
    if (!(cause instanceof BadSettings)) throw cause;
    const message = cause.message.replace(/^STENO_\w+/gm, (name) => name.slice(6).toLowerCase());
    throw invalid(message.replaceAll('\n', ' '));
  }
}

/** Tries what was entered, and keeps nothing. An address gets a test mail. */
export async function tryEntered(context: StreamContext, entered: Entered): Promise<Check[]> {
  const host = await requireOpen(context);
  const { next } = read(context.parts.config, host, entered);
  if (host.isChecking) throw conflict('Another check is under way; wait for its answer.');
  host.isChecking = true;
  try {
    return await checkEntered(entered, next);
  } finally {
    host.isChecking = false;
  }
}

/** Keeps what was entered and ends set-up. The server then starts again with it, if there are settings among it. */
export async function finish(context: StreamContext, entered: Entered): Promise<Setup> {
  const host = await requireOpen(context);
  const { config } = context.parts;
  const { userId } = context.who;
  const { name, email, model } = entered;
  const { values } = read(config, host, entered);
  const models = modelsOf(config);
  if (model && !models.includes(model)) throw invalid(`model must be one of ${models.join(', ') || 'none'}.`);
  const person = { ...(name && { name }), ...(email && { email: parseEmail(normalizeEmail(email)) }) };
  const settings = [...Object.keys(values), ...(model ? ['speech model'] : [])];
  let undo: (() => void) | undefined;
  if (host.isApplying) throw over();
  host.isApplying = true;
  try {
    await context.act((writing) =>
      closeSetup(writing, { userId, person, settings }, () => {
        if (settings.length > 0) undo ??= keep(config, values, model);
      }),
    );
  } catch (cause) {
    undo?.();
    host.isApplying = false;
    throw cause;
  }
  if (undo) host.restart({ userId, undo });
  else host.isApplying = false;
  return look(context);
}

/** Ends set-up, changes the account and calls `save`, all or nothing; `save` may run twice. Raises `conflict` if set-up is not open to the account. */
export async function closeSetup(
  context: Writing,
  finished: { userId: string; person: { name?: string; email?: string }; settings: readonly string[] },
  save: () => void,
): Promise<void> {
  const { tx, audit } = context;
  const { userId, person, settings } = finished;
  if ((await setupOwner(tx)) !== userId) throw over();
  if (Object.keys(person).length > 0) await update(context, userId, person);
  await endSetup(tx);
  await audit({ act: 'setup.finished', detail: settings.join(', ') || 'no settings' });
  // Last, so that a server that is killed here finds set-up open, and what was entered.
  save();
}

function keep({ engine, dataDir }: Config, values: Settings, model: string | undefined): () => void {
  const before = chosenModel(engine.modelsFolder);
  const forgetModel = () => model && chooseModel(engine.modelsFolder, before);
  try {
    if (model) chooseModel(engine.modelsFolder, model === boxedName ? null : model);
    const undo = Object.keys(values).length > 0 && addToSettingsFile(dataDir, values);
    return () => {
      if (undo) undo();
      forgetModel();
    };
  } catch (cause) {
    forgetModel();
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    throw serviceUnavailable(`The settings cannot be written to ${dataDir}${code}.`, {
      cause,
      retryAfterSeconds: 10,
    });
  }
}

const settingOf = (field: string) => `STENO_${field.toUpperCase()}`;

const over = () =>
  conflict(
    'Set-up is not open to you. Change settings in the environment of the server, or in settings.env of its data folder, and start it again.',
  );

/** What the settings decide. Addresses are shown without the names and passwords in them. */
function describeSetup(config: Config, environment: OpenSetup['environment']): SetupItem[] {
  const { publicUrl, smtpUrl, mailFrom, engine, signUp, language, backupUrl } = config;
  const described: Omit<SetupItem, 'environment'>[] = [
    { item: 'public_address', value: publicUrl || null, settings: ['STENO_PUBLIC_URL'] },
    {
      item: 'mail',
      value: smtpUrl === '' ? null : `${new URL(smtpUrl).host}, from ${mailFrom}`,
      settings: ['STENO_SMTP_URL', 'STENO_MAIL_FROM'],
    },
    {
      item: 'speech_model',
      value:
        engine.engine === 'http'
          ? `${engine.serverModel} at ${hostOf(engine.url)}`
          : engine.model || chosenModel(engine.modelsFolder),
      settings: ['STENO_MODEL', 'STENO_ENGINE'],
    },
    { item: 'sign_up', value: whoSignsUp(signUp), settings: ['STENO_SIGNUP'] },
    {
      item: 'language_model',
      value: language.url === '' ? null : [language.model, hostOf(language.url)].filter(Boolean).join(' at '),
      settings: ['STENO_LLM_URL', 'STENO_LLM_KEY', 'STENO_LLM_MODEL'],
    },
    {
      item: 'backup',
      value: backupUrl === '' ? null : backupUrl.replace(/\/\/[^/@]*@/, '//'),
      settings: ['STENO_BACKUP_URL'],
    },
  ];
  return described.map((one) => ({
    ...one,
    environment: one.settings.filter((name) => environment[name] !== undefined),
  }));
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);

function whoSignsUp(rule: SignUpRule): string {
  switch (rule.kind) {
    case 'closed':
      return 'closed';
    case 'open':
      return 'open';
    case 'domains':
      return rule.domains.join(', ');
  }
}
