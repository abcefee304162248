import { type LanguageSettings, useForbiddenBy, useModelHost } from '../../resources/language.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { List, Section } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { WishRow } from './wish-row.tsx';

/** Where texts go, and whether they may. */
export function Where({ settings }: { settings: LanguageSettings }) {
  const host = useModelHost();
  const by = useForbiddenBy();
  return (
    <Section title={texts.where}>
      {typeof by === 'object' && <Notice tone="warning" title={texts.blocked(by.workspace)} />}
      {by === undefined && (
        <p>{settings.model && host !== undefined ? texts.whereTo(settings.model.model, host) : texts.away}</p>
      )}
      <List label={texts.where}>
        <WishRow wish="allowed" settings={settings} detail={texts.allowedDetail}>
          {texts.allowed}
        </WishRow>
      </List>
    </Section>
  );
}
