import { Link } from 'react-router';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState } from '../../ui/states.tsx';

const texts = strings.notes.first;

/** What somebody without notes sees. */
export const FirstNote = ({ onWrite }: { onWrite(): void }) => (
  <EmptyState icon="mic" title={texts.title} detail={texts.detail}>
    <Link className="button button-primary" to="/transcribe">
      <Icon name="mic" />
      {texts.record}
    </Link>
    <Button look="quiet" onClick={onWrite}>
      {texts.write}
    </Button>
  </EmptyState>
);
