import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from '../../lib/router.tsx';
import { useTitle } from '../../lib/use-title.ts';
import {
  type AuthorizationRequest,
  answerConsent,
  type Consent,
  useConsent,
} from '../../resources/grants.ts';
import { usePerson } from '../../resources/session.ts';
import { assistantStrings } from '../../strings/assistants.ts';
import { keyStrings } from '../../strings/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Checkboxes } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import styles from './consent.module.css';

const texts = assistantStrings.consent;

/** An assistant asks for what it may do. Its address leads here (RFC 6749, 4.1.1). */
export function Screen() {
  useTitle(texts.page);
  const { search } = useLocation();
  const request = Object.fromEntries(new URLSearchParams(search));
  const consent = useConsent(request);
  if (!consent.data)
    return (
      <Page title={texts.page}>
        <Loaded from={consent} lines={5}>
          {() => null}
        </Loaded>
      </Page>
    );
  return 'redirect' in consent.data ? (
    <Leave to={consent.data.redirect} />
  ) : (
    <Question request={request} asked={consent.data} />
  );
}

/** A question that has no answer. Any program can register an address, so no person is sent there by a link to us (RFC 9700, 4.11.2). */
const Leave = ({ to }: { to: string }) => (
  <Page title={texts.page} lead={texts.wrong}>
    <div className={styles.question}>
      <div>
        <p className="field-label">{texts.address}</p>
        <p className={styles.address}>{to.split('?')[0]}</p>
      </div>
      <div className={styles.answers}>
        <Button onClick={() => window.location.assign(to)}>{texts.back}</Button>
      </div>
    </div>
  </Page>
);

interface QuestionProps {
  request: AuthorizationRequest;
  asked: Exclude<Consent, { redirect: string }>;
}

function Question({ request, asked: { client_name, redirect_uri, scopes } }: QuestionProps) {
  const person = usePerson();
  const [chosen, setChosen] = useState(scopes);
  const answer = useMutation({
    mutationFn: (allowed: readonly string[] | null) => answerConsent(request, allowed),
    onSuccess: (redirect) => window.location.assign(redirect),
  });
  // The browser leaves the page; a second answer would be another grant.
  const isBusy = answer.isPending || answer.isSuccess;
  return (
    <Page title={texts.title(client_name)} lead={texts.lead}>
      <div className={styles.question}>
        <ErrorNotice error={answer.error} />
        <Checkboxes
          legend={texts.scopes}
          options={scopes.map((scope) => ({ value: scope, label: keyStrings.scopeNames[scope] ?? scope }))}
          chosen={chosen}
          onChoose={setChosen}
          error={chosen.length === 0 && texts.noScopes}
        />
        <div>
          <p className="field-label">{texts.returns}</p>
          <p className={styles.address}>{redirect_uri}</p>
          {isOnThisComputer(redirect_uri) && <p className="muted">{texts.onThisComputer}</p>}
        </div>
        <p className="muted">
          {person.data && texts.as(person.data.email ?? person.data.name)} {texts.stay}
        </p>
        <div className={styles.answers}>
          <Button
            look="primary"
            busy={isBusy && answer.variables !== null}
            disabled={isBusy || chosen.length === 0}
            onClick={() => answer.mutate(chosen)}
          >
            {texts.allow}
          </Button>
          <Button disabled={isBusy} onClick={() => answer.mutate(null)}>
            {texts.refuse}
          </Button>
        </div>
      </div>
    </Page>
  );
}

const isOnThisComputer = (address: string) => URL.parse(address)?.protocol === 'http:';
