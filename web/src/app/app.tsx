import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { BrowserRouter, Link, Navigate, Route, Routes } from 'react-router';
import { shellStrings } from '../strings/frame.ts';
import { EmptyState } from '../ui/states.tsx';
import { Toasts } from '../ui/toast.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { consentScreen, invitationScreen, screens } from './screens.tsx';
import { Shell } from './shell.tsx';

const SignIn = lazy(async () => ({ default: (await import('../screens/sign-in/index.tsx')).Screen }));

export function App({ client }: { client: QueryClient }) {
  return (
    <QueryClientProvider client={client}>
      <ErrorBoundary>
        {/* No transitions: they delay the new note, and the letters typed right after `n` would be lost. */}
        <BrowserRouter useTransitions={false}>
          <Routes>
            <Route
              path="/sign-in"
              element={
                <Suspense>
                  <SignIn />
                </Suspense>
              }
            />
            <Route element={<Shell />}>
              <Route index element={<Navigate to="/notes" replace />} />
              {[...screens, invitationScreen, consentScreen].map(({ path, Content }) => (
                <Route key={path} path={path} element={<Content />} />
              ))}
              <Route path="*" element={<NoSuchPage />} />
            </Route>
          </Routes>
        </BrowserRouter>
      </ErrorBoundary>
      <Toasts />
    </QueryClientProvider>
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
