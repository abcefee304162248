import { explain, isNoteGone, isSignedOut } from '../../api/errors.ts';
import { excerptOf } from '../../lib/excerpt.ts';
import { noteHref } from '../../lib/note-links.ts';
import { Link } from '../../lib/router.tsx';
import { useStore } from '../../lib/store.ts';
import type { UnsavedText } from '../../notes/documents.ts';
import { useDocuments, useUnsavedTexts } from '../../notes/use-documents.tsx';
import { isHere } from '../../recorder/item.ts';
import { openQueue } from '../../recorder/page-queue.ts';
import type { Queue } from '../../recorder/queue.ts';
import { QueueItems } from '../../recorder/queue-line.tsx';
import { useFolders } from '../../resources/folders.ts';
import { signInHere } from '../../resources/session.ts';
import { useSharedSpaces } from '../../resources/spaces.ts';
import { commonStrings } from '../../strings/common.ts';
import { navStrings, shellStrings } from '../../strings/frame.ts';
import { noteStrings } from '../../strings/notes.ts';
import { unsavedStrings as texts } from '../../strings/unsaved.ts';
import { Button } from '../../ui/button.tsx';
import { List, Page, Row, Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';

/** Everything that only this browser has: where it belongs, why it waits, and what one can do. */
export function Screen() {
  const written = useUnsavedTexts();
  const queue = useStore(openQueue);
  return (
    <Page title={navStrings.unsaved} lead={texts.lead}>
      {written.length > 0 && (
        <Section title={texts.notes}>
          <List label={texts.notes}>
            {written.map((text) => (
              <Written key={text.document.doc.session} text={text} />
            ))}
          </List>
        </Section>
      )}
      {queue ? <Uploads queue={queue} others={written.length} /> : written.length === 0 && <Nothing />}
    </Page>
  );
}

const Nothing = () => <EmptyState icon="check" {...texts.none} />;

function Uploads({ queue, others }: { queue: Queue; others: number }) {
  const items = useStore(queue.items).filter(isHere);
  if (items.length === 0) return others === 0 && <Nothing />;
  return (
    <Section title={texts.recordings}>
      <QueueItems items={items} />
    </Section>
  );
}

function Written({ text }: { text: UnsavedText }) {
  const documents = useDocuments();
  const [question, confirm] = useConfirm();
  const { key, id, folderId, spaceId, error, phase, document } = text;
  const title = text.title || excerptOf(text.content) || noteStrings.untitled;
  const isOut = isSignedOut(error);
  const place = usePlace(text);
  const label = (action: string) => texts.actionOn(action, title);
  // Nothing stands in the way of the note that it becomes by itself.
  const maySaveAsNew = id !== null || phase === 'refused';
  return (
    <Row
      detail={
        <>
          <p>{place}</p>
          <p>{reasonOf(text)}</p>
        </>
      }
      actions={
        <>
          <Link
            className="button"
            aria-label={label(texts.open)}
            to={noteHref(id ?? 'new', { folderId, spaceId })}
            state={id === null ? { draft: key } : undefined}
          >
            {texts.open}
          </Link>
          {error !== undefined && (
            <Button
              aria-label={label(isOut ? shellStrings.signIn : commonStrings.retry)}
              onClick={isOut ? () => signInHere.set(true) : document.retry}
            >
              {isOut ? shellStrings.signIn : commonStrings.retry}
            </Button>
          )}
          {maySaveAsNew && (
            <Button
              aria-label={label(texts.saveAsNew)}
              onClick={() => {
                documents.saveAsNew(document);
                toast({ title: texts.savedAsNew });
              }}
            >
              {texts.saveAsNew}
            </Button>
          )}
          <Button
            look="quiet"
            aria-label={label(texts.discard)}
            onClick={() =>
              confirm({
                title: texts.discardTitle(title),
                description: id === null ? texts.discardNew : texts.discardChanges,
                action: texts.discard,
                run: async () => document.discard(),
                done: texts.discarded,
              })
            }
          >
            {texts.discard}
          </Button>
          {question}
        </>
      }
    >
      <span dir="auto">{title}</span>
    </Row>
  );
}

/** In words. What cannot be read now has no name. */
function usePlace({ id, folderId, spaceId }: UnsavedText): string {
  const folders = useFolders(spaceId);
  const space = useSharedSpaces()
    .flatMap(({ spaces }) => spaces)
    .find((one) => one.id === spaceId);
  const folder = folders.data?.find((one) => one.id === folderId);
  const isGone = folders.isError || (folders.data !== undefined && folderId !== undefined && !folder);
  const names = [space?.name, folder?.name].filter(Boolean).join(', ');
  const name = isGone && navigator.onLine ? texts.gonePlace : names && `“${names}”`;
  if (id === null) return name ? texts.newIn(name) : texts.newNote;
  return name ? texts.changedIn(name) : texts.changed;
}

function reasonOf({ error, phase, lostPlace }: UnsavedText): string {
  if (phase === 'conflict') return texts.conflict;
  if (phase === 'refused' && isNoteGone(error)) return texts.gone;
  if (error !== undefined) {
    const { title, detail } = explain(error);
    return `${title}. ${detail}`;
  }
  return lostPlace ? texts.lostPlace : texts.sending;
}
