import { askToRecord } from '../../recorder/state.ts';
import { noteStrings } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';

const texts = noteStrings.first;

/** What a person without notes sees. */
export const FirstNote = ({ inSpace, onWrite }: { inSpace: boolean; onWrite(): void }) => (
  <EmptyState icon="mic" {...(inSpace ? texts.inSpace : { title: texts.title, detail: texts.detail })}>
    <Button look="primary" icon="mic" onClick={askToRecord}>
      {texts.record}
    </Button>
    <Button look="quiet" onClick={onWrite}>
      {texts.write}
    </Button>
  </EmptyState>
);
