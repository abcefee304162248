import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { explain, StenoError } from '../../api/errors.ts';
import { canOfferPasskeys, isCancelled, signInWithPasskey, stopOffering } from '../../resources/passkeys.ts';
import { beginAtProvider } from '../../resources/sign-in-methods.ts';
import { signInStrings as texts } from '../../strings/sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/states.tsx';

/** The provider of the organisation. The page goes there, and comes back signed in. */
export function ProviderButton({ name, next }: { name: string; next: string }) {
  const begin = useMutation({
    mutationFn: () => beginAtProvider(next),
    onSuccess: (url) => window.location.assign(url),
  });
  return (
    <>
      {begin.error && <Notice tone="warning">{explain(begin.error).detail}</Notice>}
      <Button
        look="primary"
        icon="key"
        busy={begin.isPending || begin.isSuccess}
        onClick={() => begin.mutate()}
      >
        {texts.withProvider(name)}
      </Button>
    </>
  );
}

const isSuspended = (error: Error) => error instanceof StenoError && error.code === 'ACCOUNT_SUSPENDED';

/** A button, and the browser's own offer at the field for the address. */
export function PasskeyButton({ onEntered }: { onEntered(): Promise<void> }) {
  const enter = useMutation({
    mutationFn: () => signInWithPasskey(),
    onSuccess: onEntered,
  });
  useEffect(() => {
    let isGone = false;
    async function offer() {
      if (!(await canOfferPasskeys()) || isGone) return;
      await signInWithPasskey({ autofill: true });
      await onEntered();
    }
    // If the browser's own offer fails, the button and the code are still there.
    offer().catch(() => {});
    return () => {
      isGone = true;
      void stopOffering();
    };
  }, [onEntered]);
  const failed = enter.error && !isCancelled(enter.error);
  return (
    <>
      {failed && (
        <Notice tone="warning">
          {isSuspended(enter.error) ? texts.problems.suspended : texts.passkeyFailed}
        </Notice>
      )}
      <Button look="quiet" busy={enter.isPending} onClick={() => enter.mutate()}>
        {texts.withPasskey}
      </Button>
    </>
  );
}
