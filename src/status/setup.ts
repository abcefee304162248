import { parse } from 'node:path';
import { BadSettings, type Config, readConfig } from '../config.ts';
import { parseEmail, type SignUpRule } from '../domain/email.ts';
import { AppError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import { type Entered, type Setup, type SetupItem, setupFields } from '../domain/setup.ts';
import type { Check } from '../domain/status.ts';
import { normalizeEmail } from '../domain/user.ts';
import type { Settings } from '../env-file.ts';
import type { SetupStore } from '../ports/identity-store.ts';
import { addToSettingsFile, readSettingsFile, withoutEmpty } from '../settings-file.ts';
import { boxedName } from '../speech/index.ts';
import { chooseModel, chosenModel, installedModels } from '../speech/models/folder.ts';
import { checkEntered, requireBackupPlace } from './entered.ts';

/** What only the program that runs the server can do. */
export interface SetupHost {
  /** Settings of the environment come first, so set-up cannot change them. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Begins anew with the settings in the file. If that fails, `undo` brings back those of before. */
  restart(finished: { userId: string; undo(): void }): void;
  /** Why what was entered last could not be used. */
  problem: string | null;
}

interface Dependencies {
  config: Config;
  store: { setup: SetupStore };
  /** Null where several servers may run: one file would be the settings of one of them. */
  host: SetupHost | null;
}

export type SetupService = ReturnType<typeof createSetup>;

/** The first account of a new server sets it up in the browser, once. Nobody else, and never again: decision 236. */
export function createSetup({ config, store, host }: Dependencies) {
  const { engine, dataDir } = config;
  const environment = withoutEmpty(host?.environment ?? {});
  let [isChecking, isApplying] = [false, false];

  const isOpenFor = async (userId: string) => host !== null && (await store.setup.owner()) === userId;

  /** Raises `conflict` once set-up is over, and for anybody but the first account. */
  async function requireOpen({ userId }: Principal): Promise<SetupHost> {
    if (host === null || !(await isOpenFor(userId))) throw over();
    return host;
  }

  /** The models on this server; none if the environment or another server decides. */
  const models = () =>
    engine.engine === 'embedded' && engine.model === ''
      ? [boxedName, ...installedModels(engine.modelsFolder).map((path) => parse(path).name)]
      : [];

  async function look({ userId }: Principal): Promise<Setup> {
    const isOpen = await isOpenFor(userId);
    return {
      state: isApplying ? 'applying' : isOpen ? 'open' : 'closed',
      problem: isOpen ? (host?.problem ?? null) : null,
      models: models(),
      items: describeSetup(config, environment),
    };
  }

  /** Checked by the rules of the environment. Raises `conflict` for a setting that comes from there. */
  function read(entered: Entered): { values: Settings; next: Config } {
    const values: Settings = {};
    for (const field of setupFields) {
      const [name, value] = [settingOf(field), entered[field]];
      if (!value) continue;
      if (environment[name])
        throw new AppError('conflict', `${name} is set by the environment of the server; change it there.`);
      values[name] = value;
    }
    if (values.STENO_BACKUP_URL) requireBackupPlace(values.STENO_BACKUP_URL, config.recordings.folder);
    try {
      return { values, next: readConfig({ ...readSettingsFile(dataDir), ...values, ...environment }) };
    } catch (cause) {
      if (!(cause instanceof BadSettings)) throw cause;
      const message = cause.message.replace(/^STENO_\w+/gm, (name) => name.slice(6).toLowerCase());
      throw new AppError('validation_error', message.replaceAll('\n', ' '));
    }
  }

  return {
    isOpenFor,
    look,

    /** Tries what was entered, and keeps nothing. An address gets a test mail. */
    async check(principal: Principal, entered: Entered): Promise<Check[]> {
      await requireOpen(principal);
      const { next } = read(entered);
      if (isChecking) throw new AppError('conflict', 'Another check is under way; wait for its answer.');
      isChecking = true;
      try {
        return await checkEntered(entered, next);
      } finally {
        isChecking = false;
      }
    },

    /** Keeps what was entered and ends set-up. The server then starts again with it, if there are settings among it. */
    async finish(principal: Principal, entered: Entered): Promise<Setup> {
      const { restart } = await requireOpen(principal);
      const { userId } = principal;
      const { name, email, model } = entered;
      const { values } = read(entered);
      if (model && !models().includes(model))
        throw new AppError('validation_error', `model must be one of ${models().join(', ') || 'none'}.`);
      const person = {
        ...(name && { name }),
        ...(email && { email: parseEmail(normalizeEmail(email)) }),
      };
      const settings = [...Object.keys(values), ...(model ? ['speech model'] : [])];
      let undo: (() => void) | undefined;
      if (isApplying) throw over();
      isApplying = true;
      try {
        const isDone = await store.setup.close({ userId, person, settings }, () => {
          if (settings.length > 0) undo ??= keep(values, model);
        });
        if (!isDone) throw over();
      } catch (cause) {
        undo?.();
        isApplying = false;
        throw cause;
      }
      if (undo) restart({ userId, undo });
      else isApplying = false;
      return look(principal);
    },
  };

  function keep(values: Settings, model: string | undefined): () => void {
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
      throw new AppError('service_unavailable', `The settings cannot be written to ${dataDir}${code}.`, {
        cause,
        retryAfterSeconds: 10,
      });
    }
  }
}

const settingOf = (field: string) => `STENO_${field.toUpperCase()}`;

const over = () =>
  new AppError(
    'conflict',
    'Set-up is not open to you. Change settings in the environment of the server, or in settings.env of its data folder, and start it again.',
  );

/** What the settings decide. Addresses are shown without the names and passwords in them. */
function describeSetup(config: Config, environment: SetupHost['environment']): SetupItem[] {
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
