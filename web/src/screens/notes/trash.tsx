import { excerptOf } from '../../lib/excerpt.ts';
import { formatDateTime, formatShort } from '../../lib/format.ts';
import { noteHref } from '../../lib/note-links.ts';
import { Link, NavLink, navigate } from '../../lib/router.tsx';
import { useAllPages } from '../../lib/use-all-pages.ts';
import { emptyTrash, purgeNote, restoreNote, type TrashedNote, useTrash } from '../../resources/trash.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { later } from '../../ui/later.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useConfirm } from '../../ui/use-confirm.tsx';
import { LoadMore } from './load-more.tsx';
import noteStyles from './note.module.css';
import listStyles from './note-list.module.css';
import { ListSkeleton } from './note-list.tsx';
import { useNotesPlace } from './place.ts';

const Markdown = later(async () => (await import('./markdown.tsx')).Markdown, <Skeleton lines={5} />);

/** Deleted notes, until they are restored or deleted for good. */
export function TrashList() {
  const { spaceId, hrefOf } = useNotesPlace();
  const trash = useTrash(spaceId);
  if (trash.isPending) return <ListSkeleton />;
  if (!trash.data) return <ErrorState error={trash.error} onRetry={trash.refetch} />;
  if (trash.data.length === 0) return <EmptyState icon="trash" {...texts.emptyTrash} />;
  return (
    <>
      <ul className={listStyles.list} aria-label={texts.trashList}>
        {trash.data.map((note) => (
          <li key={note.id}>
            <NavLink className={listStyles.item ?? ''} to={hrefOf(note.id)}>
              <span className={listStyles.itemHead}>
                <span className={listStyles.itemTitle} dir="auto">
                  {note.title || texts.untitled}
                </span>
                <time dateTime={note.deleted_at} title={formatDateTime(note.deleted_at)}>
                  {formatShort(note.deleted_at)}
                </time>
              </span>
              <span className={listStyles.itemText} dir="auto">
                {excerptOf(note.content)}
              </span>
            </NavLink>
          </li>
        ))}
      </ul>
      {trash.hasNextPage && (
        <LoadMore
          loaded={trash.data.length}
          busy={trash.isFetchingNextPage}
          error={trash.isFetchNextPageError ? trash.error : undefined}
          onVisible={trash.fetchNextPage}
        />
      )}
    </>
  );
}

/** A deleted note can be read, restored, or deleted for good. */
export function TrashedNotePane({ id }: { id: string }) {
  const { spaceId } = useNotesPlace();
  const trash = useTrash(spaceId);
  const note = trash.data?.find((one) => one.id === id);
  useAllPages(trash, note === undefined);
  if (note) return <OneTrashedNote note={note} />;
  return trash.isPending || (trash.hasNextPage && !trash.isError) ? (
    <div className={noteStyles.note}>
      <Skeleton lines={8} />
    </div>
  ) : (
    <div className="center">
      <EmptyState icon="trash" {...texts.gone} />
    </div>
  );
}

function OneTrashedNote({ note }: { note: TrashedNote }) {
  const { spaceId, listHref } = useNotesPlace();
  const [question, confirm] = useConfirm();
  const restore = useAction(
    () => restoreNote(note.id),
    () => {
      toast({ title: texts.restored(note.title || texts.untitled) });
      return navigate(noteHref(note.id, { spaceId }));
    },
  );
  const purge = () =>
    confirm({
      title: texts.purgeTitle,
      description: texts.purgeDetail,
      action: texts.purge,
      run: () => purgeNote(note.id).then(() => navigate(listHref)),
    });
  return (
    <article className={noteStyles.note}>
      <header className={noteStyles.toolbar}>
        <Link className={noteStyles.back} to={listHref}>
          <Icon name="back" />
          {texts.trash}
        </Link>
        <Button look="danger" onClick={purge}>
          {texts.purge}
        </Button>
        <Button look="primary" busy={restore.isPending} onClick={() => restore.mutate()}>
          {texts.restore}
        </Button>
      </header>
      <div className={noteStyles.paper}>
        <h1 className={noteStyles.title} dir="auto">
          {note.title || texts.untitled}
        </h1>
        <p className={noteStyles.meta}>{texts.inTrash(formatDateTime(note.deleted_at))}</p>
        <Markdown text={note.content} query="" />
      </div>
      {question}
    </article>
  );
}

export function EmptyTrash() {
  const { spaceId, listHref } = useNotesPlace();
  const [question, confirm] = useConfirm();
  const { data } = useTrash(spaceId);
  if (!data?.length) return null;
  const empty = () =>
    confirm({
      title: texts.emptyTrashTitle,
      description: texts.emptyTrashDetail,
      action: texts.emptyTrashAction,
      run: () => emptyTrash(spaceId).then(() => navigate(listHref)),
    });
  return (
    <>
      <Button look="danger" onClick={empty}>
        {texts.emptyTrashAction}
      </Button>
      {question}
    </>
  );
}
