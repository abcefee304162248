import { askToRecord } from '../../recorder/state.ts';
import { noteStrings } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';

const texts = noteStrings.first;

/** What somebody without notes sees. What they record is their own, so a space has only what they write. */
export const FirstNote = ({ inSpace, onWrite }: { inSpace: boolean; onWrite(): void }) =>
  inSpace ? (
    <EmptyState {...texts.inSpace}>
      <Button look="primary" icon="plus" onClick={onWrite}>
        {texts.write}
      </Button>
    </EmptyState>
  ) : (
    <EmptyState icon="mic" title={texts.title} detail={texts.detail}>
      <Button look="primary" icon="mic" onClick={askToRecord}>
        {texts.record}
      </Button>
      <Button look="quiet" onClick={onWrite}>
        {texts.write}
      </Button>
    </EmptyState>
  );
