import { Navigate } from '../../lib/router.tsx';
import { useLanguageSettings } from '../../resources/language.ts';
import { useHasModel } from '../../resources/session.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Itself } from './itself.tsx';
import { OwnActions } from './own-actions.tsx';
import { Where } from './where.tsx';

/** What a person wants of the language model. */
export function Screen() {
  const settings = useLanguageSettings();
  if (!useHasModel()) return <Navigate to="/notes" replace />;
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Loaded from={settings} lines={6}>
        {(known) => (
          <>
            <Where settings={known} />
            {known.allowed && (
              <>
                <Itself settings={known} />
                <OwnActions />
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}
