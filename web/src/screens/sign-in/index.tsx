import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { explain, StenoError } from '../../api/errors.ts';
import { Navigate, navigate, useSearchParams } from '../../lib/router.tsx';
import { useTitle } from '../../lib/use-title.ts';
import { hasPasskeys } from '../../resources/passkeys.ts';
import { enter, fetchMe, requestCode, signInWithCode, useSession } from '../../resources/session.ts';
import { type SignInMethods, useSignInMethods } from '../../resources/sign-in-methods.ts';
import { signInStrings as texts } from '../../strings/sign-in.ts';
import { Button } from '../../ui/button.tsx';
import styles from '../../ui/door.module.css';
import { Door, Question, Step } from '../../ui/door.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { PasskeyButton, ProviderButton } from './other-ways.tsx';

const codeLength = 6;

export function Screen() {
  useTitle(texts.title);
  const session = useSession();
  const [params] = useSearchParams();
  const methods = useSignInMethods();
  const next = safePath(params.get('next'));
  const entered = useEntered(next);
  if (session.data) return <Navigate to={next} replace />;
  return (
    <Door foot={methods?.codes === false ? texts.firstTime : `${texts.firstTime} ${texts.codesInLog}`}>
      <SignIn next={next} onEntered={entered} />
    </Door>
  );
}

interface SignInProps {
  /** Where a provider leads back to. */
  next: string;
  onEntered(): Promise<void>;
}

export function SignIn({ next, onEntered }: SignInProps) {
  const [params] = useSearchParams();
  const methods = useSignInMethods();
  const [email, setEmail] = useState<string>();
  const [wantsOther, setWantsOther] = useState(false);
  if (email !== undefined)
    return <AskCode email={email} onEntered={onEntered} onBack={() => setEmail(undefined)} />;
  if (!methods) return <Skeleton lines={4} />;
  if (methods.suspended && !wantsOther) return <Suspended onOther={() => setWantsOther(true)} />;
  return (
    <Begin methods={methods} next={next} problem={params.get('problem') ?? ''}>
      <AskEmail
        known={params.get('email') ?? ''}
        isSecond={methods.provider !== null}
        passkeys={methods.passkeys && hasPasskeys()}
        onEntered={onEntered}
        onSent={setEmail}
      />
    </Begin>
  );
}

/** Once the account may be used again, the same session works. */
const Suspended = ({ onOther }: { onOther(): void }) => (
  <div className={styles.form} role="status">
    <div>
      <h1>{texts.suspended.title}</h1>
      <p className={styles.lead}>{texts.suspended.detail}</p>
    </div>
    <Button look="primary" onClick={() => window.location.reload()}>
      {texts.suspended.again}
    </Button>
    <Button look="quiet" onClick={onOther}>
      {texts.suspended.other}
    </Button>
  </div>
);

interface BeginProps {
  methods: SignInMethods;
  next: string;
  problem: string;
  /** The question for the address. */
  children: ReactNode;
}

/** The ways to sign in here: with the provider first, where there is one. */
function Begin({ methods: { provider, codes }, next, problem, children }: BeginProps) {
  const notice = texts.problems[problem];
  return (
    <div className={styles.form}>
      <div>
        <h1>{texts.title}</h1>
        <p className={styles.lead}>{provider ? texts.providerLead : texts.lead}</p>
      </div>
      {notice && <Notice tone="warning">{notice}</Notice>}
      {provider && <ProviderButton name={provider.name} next={next} />}
      {codes && children}
    </div>
  );
}

interface AskEmailProps {
  known: string;
  /** Another way comes first. */
  isSecond: boolean;
  passkeys: boolean;
  onEntered(): Promise<void>;
  onSent(email: string): void;
}

function AskEmail({ known, isSecond, passkeys, onEntered, onSent }: AskEmailProps) {
  const [email, setEmail] = useState(known);
  const send = useMutation({
    mutationFn: () => requestCode(email.trim()),
    onSuccess: () => onSent(email.trim()),
  });
  return (
    <Question label={isSecond ? texts.orByCode : undefined} onSubmit={send.mutate}>
      <TextField
        label={texts.email}
        type="email"
        name="email"
        autoComplete={passkeys ? 'email webauthn' : 'email'}
        required
        autoFocus={!isSecond}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={send.error ? say(send.error) : undefined}
      />
      <Button look={isSecond ? 'plain' : 'primary'} type="submit" busy={send.isPending}>
        {texts.send}
      </Button>
      {passkeys && <PasskeyButton onEntered={onEntered} />}
    </Question>
  );
}

/** Shows the person who is signed in now the page that they wanted. */
function useEntered(next: string): () => Promise<void> {
  return useCallback(async () => {
    enter(await fetchMe(next));
    navigate(next, { replace: true });
  }, [next]);
}

interface AskCodeProps {
  email: string;
  onEntered(): Promise<void>;
  onBack(): void;
}

function AskCode({ email, onEntered, onBack }: AskCodeProps) {
  const [code, setCode] = useState('');
  const enter = useMutation({
    mutationFn: (typed: string) => signInWithCode(email, typed),
    onSuccess: onEntered,
    onError: () => setCode(''),
  });
  const again = useAction(
    () => requestCode(email),
    () => toast({ title: texts.sentAgain }),
  );
  function type(text: string) {
    const digits = text.replace(/\D/g, '').slice(0, codeLength);
    setCode(digits);
    if (digits.length === codeLength) enter.mutate(digits);
  }
  return (
    <Step title={texts.codeTitle} lead={texts.codeLead(email)} onSubmit={() => enter.mutate(code)}>
      <TextField
        label={texts.code}
        className={styles.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        required
        value={code}
        onChange={(event) => type(event.target.value)}
        error={enter.error ? say(enter.error) : undefined}
      />
      <Button look="primary" type="submit" busy={enter.isPending} disabled={code.length < codeLength}>
        {texts.submit}
      </Button>
      <div className={styles.others}>
        <Button look="quiet" busy={again.isPending} onClick={() => again.mutate()}>
          {texts.again}
        </Button>
        <Button look="quiet" onClick={onBack}>
          {texts.otherAddress}
        </Button>
      </div>
    </Step>
  );
}

/** What to say at the field for these codes of the server. */
const knownCodes: Record<string, string> = {
  validation_error: texts.badEmail,
  INVALID_OTP: texts.wrongCode,
  OTP_EXPIRED: texts.wrongCode,
};

function say(error: Error): string {
  const { title, detail } = explain(error);
  return (error instanceof StenoError && knownCodes[error.code]) || `${title}. ${detail}`;
}

/** Only paths of this site: a link to the sign-in page must not lead anywhere else. Browsers skip a tab between two slashes. */
const safePath = (path: string | null) =>
  path && /^\/(?![/\\])/.test(path) && !/\p{Cc}/u.test(path) ? path : '/notes';
