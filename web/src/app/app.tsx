import { QueryClientProvider } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { Link, matchPath, Navigate, ParamsProvider, useLocation } from '../lib/router.tsx';
import { DocumentsOfPage } from '../notes/use-documents.tsx';
import { shellStrings } from '../strings/frame.ts';
import { later } from '../ui/later.tsx';
import { EmptyState } from '../ui/states.tsx';
import { Toasts } from '../ui/toast.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { consentScreen, invitationScreen, screens, unsavedScreen } from './screens.tsx';
import { Shell } from './shell.tsx';

const SignIn = later(async () => (await import('../screens/sign-in/index.tsx')).Screen);

export const App = () => (
  <QueryClientProvider client={cache}>
    <ErrorBoundary>
      <DocumentsOfPage>
        <Opened />
      </DocumentsOfPage>
    </ErrorBoundary>
    <Toasts />
  </QueryClientProvider>
);

const pages = [...screens, unsavedScreen, invitationScreen, consentScreen];

/** The page of the address. */
function Opened() {
  const { pathname } = useLocation();
  if (matchPath('sign-in', pathname)) return <SignIn />;
  for (const { path, Content } of pages) {
    const params = matchPath(path, pathname);
    if (params)
      return (
        <ParamsProvider value={params}>
          <Shell>
            <Content />
          </Shell>
        </ParamsProvider>
      );
  }
  return (
    <ParamsProvider value={{}}>
      <Shell>{pathname === '/' ? <Navigate to="/notes" replace /> : <NoSuchPage />}</Shell>
    </ParamsProvider>
  );
}

const { noSuchPage } = shellStrings;

const NoSuchPage = () => (
  <div className="center">
    <EmptyState icon="search" title={noSuchPage.title} detail={noSuchPage.detail}>
      <Link className="button" to="/notes">
        {noSuchPage.home}
      </Link>
    </EmptyState>
  </div>
);
