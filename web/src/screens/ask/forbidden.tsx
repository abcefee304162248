import { Link } from '../../lib/router.tsx';
import { useForbiddenBy } from '../../resources/language.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { Notice } from '../../ui/states.tsx';

/** Says who does not let texts go to the model. */
export function Forbidden() {
  const by = useForbiddenBy();
  if (by === undefined) return null;
  return (
    <Notice tone="warning" title={by === 'person' ? texts.switchedOff : texts.blocked(by.workspace)}>
      {by === 'person' && <Link to="/language">{texts.settings}</Link>}
    </Notice>
  );
}
