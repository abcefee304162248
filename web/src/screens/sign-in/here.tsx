import { useCallback } from 'react';
import { useLocation } from '../../lib/router.tsx';
import { enter, fetchMe, signInHere } from '../../resources/session.ts';
import { signInStrings } from '../../strings/sign-in.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SignIn } from './index.tsx';

/** Signs in where the session ended, so that the page keeps what is not saved. */
export function SignInHere() {
  const { pathname, search } = useLocation();
  const close = () => signInHere.set(false);
  const entered = useCallback(async () => {
    enter(await fetchMe());
    signInHere.set(false);
  }, []);
  return (
    <Dialog open onClose={close} title={signInStrings.hereTitle} description={signInStrings.textStays}>
      <SignIn next={pathname + search} onEntered={entered} />
    </Dialog>
  );
}
