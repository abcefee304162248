import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { ApiError, explain } from '../../api/errors.ts';
import { useTitle } from '../../lib/use-title.ts';
import { changePerson, fetchMe, requestCode, signInWithCode, useSession } from '../../resources/session.ts';
import { signInStrings } from '../../strings/sign-in.ts';
import { Button } from '../../ui/button.tsx';
import styles from '../../ui/door.module.css';
import { Door, Step } from '../../ui/door.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';

const texts = signInStrings;
const codeLength = 6;

export function Screen() {
  useTitle(texts.title);
  const session = useSession();
  const [params] = useSearchParams();
  const [email, setEmail] = useState<string>();
  const next = safePath(params.get('next'));
  if (session.data) return <Navigate to={next} replace />;
  return (
    <Door foot={texts.firstTime}>
      {email === undefined ? (
        <AskEmail
          known={params.get('email') ?? ''}
          linkFailed={params.get('problem') === 'link'}
          onSent={setEmail}
        />
      ) : (
        <AskCode email={email} next={next} onBack={() => setEmail(undefined)} />
      )}
    </Door>
  );
}

interface AskEmailProps {
  known: string;
  linkFailed: boolean;
  onSent(email: string): void;
}

function AskEmail({ known, linkFailed, onSent }: AskEmailProps) {
  const [email, setEmail] = useState(known);
  const send = useMutation({
    mutationFn: () => requestCode(email.trim()),
    onSuccess: () => onSent(email.trim()),
  });
  return (
    <Step title={texts.title} lead={texts.lead} onSubmit={send.mutate}>
      {linkFailed && <Notice tone="warning">{texts.linkFailed}</Notice>}
      <TextField
        label={texts.email}
        type="email"
        name="email"
        autoComplete="email"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={send.error ? say(send.error) : undefined}
      />
      <Button look="primary" type="submit" busy={send.isPending}>
        {texts.send}
      </Button>
    </Step>
  );
}

function AskCode({ email, next, onBack }: { email: string; next: string; onBack(): void }) {
  const [code, setCode] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const enter = useMutation({
    mutationFn: (typed: string) => signInWithCode(email, typed),
    async onSuccess() {
      changePerson(client, await fetchMe());
      navigate(next, { replace: true });
    },
    onError: () => setCode(''),
  });
  const again = useMutation({
    mutationFn: () => requestCode(email),
    onSuccess: () => toast({ title: texts.sentAgain }),
    onError: toastError,
  });
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
  return (error instanceof ApiError && knownCodes[error.code]) || `${title}. ${detail}`;
}

/** Only paths of this site: a link to the sign-in page must not lead anywhere else. */
const safePath = (path: string | null) => (path && /^\/(?![/\\])/.test(path) ? path : '/notes');
