import type { Config } from '../config.ts';
import type { SignUpRule } from '../domain/email.ts';
import type { SetupItem } from '../domain/setup.ts';

/** What the environment decides. Addresses are shown without the names and passwords in them. */
export const describeSetup = ({
  publicUrl,
  smtpUrl,
  mailFrom,
  engine,
  signUp,
  language,
  backupUrl,
}: Config): SetupItem[] => [
  { item: 'public_address', value: publicUrl || null, settings: ['STENO_PUBLIC_URL'] },
  {
    item: 'mail',
    value: smtpUrl === '' ? null : `${new URL(smtpUrl).host}, from ${mailFrom}`,
    settings: ['STENO_SMTP_URL', 'STENO_MAIL_FROM'],
  },
  {
    item: 'speech_model',
    value: engine.engine === 'http' ? `${engine.serverModel} at ${hostOf(engine.url)}` : engine.model || null,
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
