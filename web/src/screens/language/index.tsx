import { Navigate } from '../../lib/router.tsx';
import { useLanguageSettings } from '../../resources/language.ts';
import { useHasModel } from '../../resources/session.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Itself } from './itself.tsx';
import { OwnActions } from './own-actions.tsx';
import { Where } from './where.tsx';

/** What a person wants of the language model. */
export function Screen() {
  const settings = useLanguageSettings();
  if (!useHasModel()) return <Navigate to="/notes" replace />;
  return (
    <Page title={texts.title} lead={texts.lead}>
      {settings.isPending && <Skeleton lines={6} />}
      {settings.isError && <ErrorState error={settings.error} onRetry={settings.refetch} />}
      {settings.data && (
        <>
          <Where settings={settings.data} />
          {settings.data.allowed && (
            <>
              <Itself settings={settings.data} />
              <OwnActions />
            </>
          )}
        </>
      )}
    </Page>
  );
}
