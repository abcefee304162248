import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { excerptOf } from '../../lib/excerpt.ts';
import { formatDateTime, formatShort } from '../../lib/format.ts';
import { noteHref } from '../../lib/note-links.ts';
import { Link, NavLink, useNavigate } from '../../lib/router.tsx';
import { emptyTrash, purgeNote, restoreNote, type TrashedNote, useTrash } from '../../resources/trash.ts';
import { noteStrings } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { LoadMore } from './load-more.tsx';
import noteStyles from './note.module.css';
import listStyles from './note-list.module.css';
import { ListSkeleton } from './note-list.tsx';
import { useNotesPlace } from './place.ts';

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));
const texts = noteStrings;

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
  if (note) return <OneTrashedNote note={note} />;
  return trash.isPending ? (
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
  const client = useQueryClient();
  const navigate = useNavigate();
  const { spaceId, listHref } = useNotesPlace();
  const restore = useMutation({
    mutationFn: () => restoreNote(client, note.id),
    onSuccess() {
      toast({ title: texts.restored(note.title || texts.untitled) });
      return navigate(noteHref(note.id, { spaceId }));
    },
    onError: toastError,
  });
  return (
    <article className={noteStyles.note}>
      <header className={noteStyles.toolbar}>
        <Link className={noteStyles.back} to={listHref}>
          <Icon name="back" />
          {texts.trash}
        </Link>
        <AskFirst
          action={texts.purge}
          title={texts.purgeTitle}
          detail={texts.purgeDetail}
          run={async () => {
            await purgeNote(client, note.id);
            navigate(listHref);
          }}
        >
          {texts.purge}
        </AskFirst>
        <Button look="primary" busy={restore.isPending} onClick={() => restore.mutate()}>
          {texts.restore}
        </Button>
      </header>
      <div className={noteStyles.paper}>
        <h1 className={noteStyles.title} dir="auto">
          {note.title || texts.untitled}
        </h1>
        <p className={noteStyles.meta}>{texts.inTrash(formatDateTime(note.deleted_at))}</p>
        <Suspense fallback={<Skeleton lines={5} />}>
          <Markdown text={note.content} query="" />
        </Suspense>
      </div>
    </article>
  );
}

export function EmptyTrash() {
  const client = useQueryClient();
  const { spaceId, listHref } = useNotesPlace();
  const navigate = useNavigate();
  const { data } = useTrash(spaceId);
  if (!data?.length) return null;
  return (
    <AskFirst
      action={texts.emptyTrashAction}
      title={texts.emptyTrashTitle}
      detail={texts.emptyTrashDetail}
      run={async () => {
        await emptyTrash(client, spaceId);
        navigate(listHref);
      }}
    >
      {texts.emptyTrashAction}
    </AskFirst>
  );
}

interface AskProps {
  action: string;
  title: string;
  detail: string;
  run(): Promise<void>;
  children: ReactNode;
}

/** A button for what cannot be undone. */
function AskFirst({ action, title, detail, run, children }: AskProps) {
  const [asking, setAsking] = useState(false);
  const close = () => setAsking(false);
  const act = useMutation({ mutationFn: run, onSuccess: close, onError: toastError });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {children}
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={close}
        title={title}
        description={detail}
        action={action}
        busy={act.isPending}
        onConfirm={() => act.mutate()}
      />
    </>
  );
}
