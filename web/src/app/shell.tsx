import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { isPageOver } from '../api/person.ts';
import { connection, isOutdated, watchConnection } from '../lib/connection.ts';
import { Navigate, useLocation } from '../lib/router.tsx';
import { useStore } from '../lib/store.ts';
import { useDocuments, useUnsavedTexts } from '../notes/use-documents.tsx';
import { useRecorder } from '../recorder/state.ts';
import { type Me, signInHere, useSession } from '../resources/session.ts';
import { commonStrings } from '../strings/common.ts';
import { navStrings, shellStrings } from '../strings/frame.ts';
import { noteStrings } from '../strings/notes.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { later } from '../ui/later.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { ErrorState, Skeleton } from '../ui/states.tsx';
import { preloadToasts, toast } from '../ui/toast.tsx';
import { DockPlace, preloadDock } from './dock-place.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Sidebar, TabBar } from './navigation.tsx';
import { Overlays, preloadPalette } from './overlays.tsx';
import { placesWith } from './places.ts';
import { invitationScreen, isWithin, screens, unsavedScreen } from './screens.tsx';

/** After the first screen, loads the others too. They then open at once, even if the server is away. */
const preloadAfterMs = 3_000;
const preloadScreens = (hasModel: boolean) => {
  for (const screen of placesWith([...screens, unsavedScreen], hasModel)) void screen.preload();
  void preloadToasts();
  void preloadPalette();
  void preloadDock();
  // The service worker opens the console without a server. Browsers allow it only over HTTPS and on localhost.
  navigator.serviceWorker?.register('/sw.js').catch(() => {});
};

/** Who opens the link of an invitation may have no account yet. */
const Guest = later(async () => (await import('../screens/invitation/guest.tsx')).Guest);
const SignInHere = later(async () => (await import('../screens/sign-in/here.tsx')).SignInHere);
const SharedFiles = later(async () => (await import('./shared-files.tsx')).SharedFiles);

/** The frame for people who are signed in. Others go to the sign-in page and come back afterwards. */
export function Shell({ children }: { children: ReactNode }) {
  const session = useSession();
  const { pathname, search } = useLocation();
  const last = useRef<Me>(undefined);
  if (session.data) last.current = session.data;
  const { step } = useRecorder();
  const isRecording = step === 'recording' || step === 'finishing';
  // A session that ends by itself must not take away what is not saved yet, nor stop a recording.
  const isNeeded = (useUnsavedTexts().length > 0 || isRecording) && !isPageOver();
  if (session.data === null && isNeeded && last.current)
    return (
      <Frame me={last.current} isSignedOut>
        {children}
      </Frame>
    );
  if (session.data === null && isWithin(pathname, invitationScreen.href)) return <Guest />;
  if (session.data === null)
    return <Navigate to={`/sign-in?next=${encodeURIComponent(pathname + search)}`} replace />;
  if (session.data === undefined)
    return (
      <div className="center">
        {session.failureReason ? (
          <ErrorState error={session.failureReason} onRetry={session.refetch} />
        ) : (
          <div role="status">
            <Spinner size={28} />
            <span className="visually-hidden">{commonStrings.loading}</span>
          </div>
        )}
      </div>
    );
  return <Frame me={session.data}>{children}</Frame>;
}

interface FrameProps {
  me: Me;
  isSignedOut?: boolean;
  children: ReactNode;
}

function Frame({ me, isSignedOut = false, children }: FrameProps) {
  const server = useStore(connection);
  const hasNewVersion = useStore(isOutdated);
  useEffect(watchConnection, []);
  useLive(me.user_id);
  const documents = useDocuments();
  // What an earlier visit could not save is sent from every screen.
  useEffect(() => void documents.start(), [documents]);
  useLostPlaces();
  const main = useRef<HTMLElement>(null);
  const { pathname, search } = useLocation();
  const screen = pathname.split('/')[1];
  const isShared = new URLSearchParams(search).has('shared');
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll up whenever the screen changes
  useEffect(() => {
    main.current?.scrollTo(0, 0);
  }, [screen]);
  useEffect(() => {
    const timer = setTimeout(() => preloadScreens(me.language_model), preloadAfterMs);
    return () => clearTimeout(timer);
  }, [me.language_model]);
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        {navStrings.skip}
      </a>
      {(server === 'away' || server === 'offline') && (
        <p className="offline" role="status">
          <Icon name="offline" />
          {server === 'away' ? shellStrings.away : shellStrings.offline}
        </p>
      )}
      {isSignedOut && <SignedOut />}
      {server === 'up' && hasNewVersion && (
        <p className="offline" role="status">
          <Icon name="info" />
          {shellStrings.newVersion.detail}
          <Button look="quiet" onClick={() => window.location.reload()}>
            {shellStrings.crashed.reload}
          </Button>
        </p>
      )}
      <Sidebar />
      <Overlays />
      {isShared && <SharedFiles />}
      <main className="main" id="main" ref={main} tabIndex={-1}>
        <ErrorBoundary key={screen}>
          <Suspense fallback={<Waiting />}>{children}</Suspense>
        </ErrorBoundary>
      </main>
      <DockPlace me={me} />
      <TabBar />
    </div>
  );
}

function SignedOut() {
  const isAsked = useStore(signInHere);
  const { step } = useRecorder();
  return (
    <>
      <div className="offline" role="status">
        <Icon name="key" />
        <h2>{step === 'recording' ? shellStrings.signedOutRecording : shellStrings.signedOut}</h2>
        <Button onClick={() => signInHere.set(true)}>{shellStrings.signIn}</Button>
      </div>
      {isAsked && <SignInHere />}
    </>
  );
}

/** An open note says itself that its folder or space is gone. */
function useLostPlaces(): void {
  const unsaved = useUnsavedTexts();
  const told = useRef(new Set<unknown>());
  useEffect(() => {
    for (const { lostPlace, title, document } of unsaved) {
      if (!lostPlace || document.openings > 0 || told.current.has(document)) continue;
      told.current.add(document);
      toast(shellStrings.inOwnNotes(title || noteStrings.untitled));
    }
  }, [unsaved]);
}

/** Shows what others change. Its code is not needed for the first screen. */
function useLive(userId: string): void {
  useEffect(() => {
    const left = new AbortController();
    // Without it, what is shown is read again now and then.
    const loaded = import('../live/start.ts').catch(() => undefined);
    void loaded.then((code) => {
      if (!code || left.signal.aborted) return;
      left.signal.addEventListener('abort', code.startLive(userId));
    });
    return () => left.abort();
  }, [userId]);
}

const Waiting = () => (
  <div className="page">
    <Skeleton lines={6} />
  </div>
);
