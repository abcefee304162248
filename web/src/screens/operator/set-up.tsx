import { useIsMutating, useMutation } from '@tanstack/react-query';
import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { StenoError } from '../../api/errors.ts';
import { maxUserNameLength } from '../../api/limits.ts';
import { withTimes } from '../../lib/format.ts';
import { useUnsaved } from '../../lib/unsaved.ts';
import {
  checkSetup,
  type Entered,
  finishSetup,
  keepSetup,
  refreshSetup,
  type Setup,
} from '../../resources/operator.ts';
import { usePerson } from '../../resources/session.ts';
import { setUpStrings as texts } from '../../strings/set-up.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, type Sent, SentForm, TextField } from '../../ui/field.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';
import styles from './operator.module.css';

const checking = ['setup check'];

/** What people type: as the server wants it, but for mail and sign-up, which are made of several fields. */
type Typed = Partial<Record<keyof Entered | 'server' | 'user' | 'password' | 'domains', string>>;

/** Where the server speaks of another field than the one that was typed into. */
const settingFrom: Typed = { server: 'smtp_url', domains: 'signup' };

/** The first account sets a new server up, once. No form: Enter in a field must not end it. */
export function SetUp({ setup }: { setup: Setup }) {
  const person = usePerson();
  const [typed, setTyped] = useState<Typed>({});
  const [refused, setRefused] = useState<Error | null>(null);
  const [question, confirm] = useConfirm();
  const isOver = useRef(false);
  useUnsaved(() => !isOver.current && Object.values(typed).some((text) => text.trim()));
  const page = useRef<HTMLDivElement>(null);
  async function send(entered: Entered) {
    const outcome = await finishSetup(entered);
    if (outcome.state === 'open') return keepSetup(outcome);
    isOver.current = true;
    // A new page: a browser never asks again for code that it wanted while the server was away.
    window.location.assign('/notes');
  }
  const finish = useMutation({
    mutationFn: send,
    onMutate: () => setRefused(null),
    onError(error) {
      setRefused(error);
      // It may be over, by another page.
      return refreshSetup();
    },
  });
  const skip = () =>
    confirm({
      title: texts.skipTitle,
      description: texts.skipDetail,
      action: texts.skipAll,
      run: () => send({}).finally(refreshSetup),
    });
  // Where the person goes on: at the field that is marked, or at what is said below.
  useEffect(() => {
    const says = page.current?.querySelector<HTMLElement>('[aria-invalid=true], [role=alert]');
    if (refused && says?.matches('input')) says.focus();
    else if (refused) says?.scrollIntoView({ block: 'nearest' });
  }, [refused]);
  const byEnvironment = new Set(setup.items.flatMap(({ environment }) => environment));
  const wrong = refused instanceof StenoError ? refused.param : undefined;
  const [fields] = useState<Sent['fields']>(() => new Map());

  const entry = (
    name: keyof Typed,
    about: { label: string; hint?: string; setting?: string },
    more: Omit<ComponentProps<typeof TextField>, 'label'> = {},
  ) =>
    about.setting !== undefined && byEnvironment.has(about.setting) ? (
      <p className="muted">{texts.byEnvironment(about.label, about.setting)}</p>
    ) : (
      <TextField
        autoComplete="off"
        spellCheck={false}
        label={about.label}
        hint={about.hint}
        value={typed[name] ?? ''}
        name={settingFrom[name] ?? name}
        onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
        {...more}
      />
    );
  const { you, address, mail, model, signUp, language, backup } = texts;
  const email = typed.email?.trim() || person.data?.email;
  const hasOwnMail = byEnvironment.has('STENO_SMTP_URL');

  return (
    <Page title={texts.title} lead={texts.lead} ref={page}>
      <SentForm value={{ error: refused, fields }}>
        <Section title={you.title}>
          {entry('name', you.name, {
            placeholder: person.data?.name,
            maxLength: maxUserNameLength,
            autoComplete: 'name',
          })}
          {entry('email', you.email, {
            placeholder: person.data?.email ?? undefined,
            type: 'email',
            autoComplete: 'email',
          })}
        </Section>
        <Section title={address.title}>
          {entry('public_url', address.url, { type: 'url', placeholder: window.location.origin })}
        </Section>
        <Section title={mail.title}>
          {entry('server', mail.server, { placeholder: 'mail.example.org:587' })}
          {!hasOwnMail && (
            <div className={styles.pair}>
              {entry('user', mail.user)}
              {entry('password', mail.password, { type: 'password', autoComplete: 'new-password' })}
            </div>
          )}
          {entry('mail_from', mail.from, { placeholder: 'Steno <steno@example.org>' })}
          <TryIt
            label={email ? mail.test(email) : mail.testWithout}
            disabled={!email || !(typed.server?.trim() || hasOwnMail)}
            entered={() =>
              pick(enteredOf({ ...typed, email: email ?? '' }), 'email', 'smtp_url', 'mail_from')
            }
            onRefused={setRefused}
          />
        </Section>
        <Section title={model.title}>
          {setup.models.length > 1 ? (
            <SelectField
              label={model.choose}
              value={typed.model ?? ''}
              options={[{ id: '', name: model.asItIs }, ...setup.models.map((name) => ({ id: name, name }))]}
              onChoose={(chosen) => setTyped({ ...typed, model: chosen })}
            />
          ) : (
            <p className="muted">{setup.models.length === 1 ? model.one : model.byEnvironment}</p>
          )}
        </Section>
        <Section title={signUp.title}>
          {byEnvironment.has('STENO_SIGNUP') ? (
            <p className="muted">{texts.byEnvironment(signUp.who, 'STENO_SIGNUP')}</p>
          ) : (
            <SelectField
              label={signUp.who}
              value={typed.signup ?? ''}
              options={{ '': signUp.closed, domains: signUp.domains, open: signUp.open }}
              onChoose={(chosen) => setTyped({ ...typed, signup: chosen })}
            />
          )}
          {typed.signup === 'domains' &&
            entry('domains', signUp.which, { placeholder: 'example.org, example.com' })}
        </Section>
        <Section title={language.title}>
          {entry('llm_url', language.url, { type: 'url', placeholder: 'http://127.0.0.1:11434' })}
          <div className={styles.pair}>
            {entry('llm_model', language.model)}
            {entry('llm_key', language.key, { type: 'password', autoComplete: 'new-password' })}
          </div>
          <TryIt
            label={language.test}
            disabled={!typed.llm_url?.trim()}
            entered={() => pick(enteredOf(typed), 'llm_url', 'llm_key', 'llm_model')}
            onRefused={setRefused}
          />
        </Section>
        <Section title={backup.title}>
          {entry('backup_url', backup.place, { placeholder: '/var/backups/steno' })}
          <TryIt
            label={backup.test}
            disabled={!typed.backup_url?.trim()}
            entered={() => pick(enteredOf(typed), 'backup_url')}
            onRefused={setRefused}
          />
        </Section>
      </SentForm>
      {wrong ? <Notice tone="danger">{texts.seeAbove}</Notice> : <ErrorNotice error={refused} />}
      {setup.problem && !finish.isPending && (
        <Notice tone="danger" title={texts.failed}>
          <p>{setup.problem}</p>
        </Notice>
      )}
      {finish.isPending && <Notice>{texts.applying}</Notice>}
      <div className={styles.ends}>
        <Button look="primary" busy={finish.isPending} onClick={() => finish.mutate(enteredOf(typed))}>
          {texts.finish}
        </Button>
        <Button disabled={finish.isPending} onClick={skip}>
          {texts.skipAll}
        </Button>
      </div>
      {question}
    </Page>
  );
}

interface TryItProps {
  label: string;
  disabled: boolean;
  entered(): Entered;
  /** What is wrong with a field is said at that field. */
  onRefused(error: Error | null): void;
}

/** Asks the server to try it, before anything is kept. */
function TryIt({ label, disabled, entered, onRefused }: TryItProps) {
  const look = useMutation({
    mutationKey: checking,
    mutationFn: () => checkSetup(entered()),
    onMutate: () => onRefused(null),
    onError: (error) => error instanceof StenoError && error.param && onRefused(error),
  });
  // The server does one at a time.
  const isChecking = useIsMutating({ mutationKey: checking }) > 0;
  const tones = { ok: 'success', warning: 'warning', broken: 'danger' } as const;
  return (
    <>
      <div>
        <Button disabled={disabled || isChecking} busy={look.isPending} onClick={() => look.mutate()}>
          {label}
        </Button>
      </div>
      {look.data?.map(({ check, state, found, fix }) => (
        <Notice key={check} tone={tones[state]} title={texts.outcome[state]}>
          <p>
            {withTimes(found)} {sentence(fix ?? '')}
          </p>
        </Notice>
      ))}
      {!(look.error instanceof StenoError && look.error.param) && <ErrorNotice error={look.error} />}
    </>
  );
}

const sentence = (text: string) =>
  text && text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith('.') ? '' : '.');

/** Without what was left empty: that stays as it is. */
function enteredOf({ server = '', user, password = '', domains, signup, ...others }: Typed): Entered {
  const from = user ? `${encodeURIComponent(user)}:${encodeURIComponent(password)}@` : '';
  const smtp_url = server.trim() && `${/:465\s*$/.test(server) ? 'smtps' : 'smtp'}://${from}${server.trim()}`;
  const all = { ...others, smtp_url, signup: signup === 'domains' ? domains : signup };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value?.trim()));
}

const pick = (entered: Entered, ...names: (keyof Entered)[]): Entered =>
  Object.fromEntries(Object.entries(entered).filter(([name]) => names.includes(name as keyof Entered)));
