import { useId, useState } from 'react';
import { maxTagNameLength } from '../../api/limits.ts';
import { formatNumber } from '../../lib/format.ts';
import { placeHref } from '../../lib/note-links.ts';
import { Link } from '../../lib/router.tsx';
import { deleteTag, mergeTag, refreshTagged, renameTag, type Tag, useTags } from '../../resources/tags.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings } from '../../strings/notes.ts';
import { tagStrings as texts } from '../../strings/tags.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SearchField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Row } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';
import { changeMany } from './change-many.ts';
import { useNotesPlace } from './place.ts';
import { stopSelecting } from './selection.ts';

/** More of them are easier to find by name. */
const fewTags = 8;
const maxShown = 100;

/** All tags of the place, each with how many notes have it. */
export function Tags({ onClose }: { onClose(): void }) {
  const { spaceId, tagId, filter } = useNotesPlace();
  const tags = useTags(spaceId);
  const [wanted, setWanted] = useState('');
  const [changing, setChanging] = useState<{ tag: Tag; how: 'rename' | 'merge' }>();
  const [question, confirm] = useConfirm();
  const all = tags.data ?? [];
  const found = all.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()));
  const close = () => setChanging(undefined);
  const remove = ({ id, name }: Tag) =>
    confirm({
      title: texts.deleteTitle(name),
      description: texts.deleteDetail,
      action: texts.deleteAction,
      run: () => deleteTag(id).then(() => id === tagId && filter('tag', '')),
      done: texts.deleted(name),
    });
  return (
    <>
      <Dialog open wide onClose={onClose} title={texts.title}>
        {all.length > fewTags && <SearchField label={texts.find} value={wanted} onType={setWanted} />}
        <LoadedList
          from={{ ...tags, data: tags.data && found.slice(0, maxShown) }}
          lines={4}
          label={texts.title}
          empty={wanted === '' ? texts.empty : noteStrings.noSuchFolder}
        >
          {(tag) => (
            <Row
              key={tag.id}
              detail={texts.count(formatNumber(tag.note_count))}
              actions={
                <>
                  <IconButton
                    icon="edit"
                    label={texts.rename(tag.name)}
                    onClick={() => setChanging({ tag, how: 'rename' })}
                  />
                  {all.length > 1 && (
                    <Button
                      look="quiet"
                      aria-label={texts.merge(tag.name)}
                      onClick={() => setChanging({ tag, how: 'merge' })}
                    >
                      {texts.mergeAction}
                    </Button>
                  )}
                  <IconButton icon="trash" label={texts.delete(tag.name)} onClick={() => remove(tag)} />
                </>
              }
            >
              <Link to={placeHref({ spaceId, tagId: tag.id })} onClick={onClose} dir="auto">
                {tag.name}
              </Link>
            </Row>
          )}
        </LoadedList>
        {found.length > maxShown && <p className="muted">{texts.more}</p>}
      </Dialog>
      {changing?.how === 'rename' && <Rename tag={changing.tag} onClose={close} />}
      {changing?.how === 'merge' && (
        <Merge tag={changing.tag} others={all.filter(({ id }) => id !== changing.tag.id)} onClose={close} />
      )}
      {question}
    </>
  );
}

const Rename = ({ tag, onClose }: { tag: Tag; onClose(): void }) => (
  <FormDialog
    title={texts.rename(tag.name)}
    save={(typed) => renameTag(tag.id, typed('name'))}
    onClose={onClose}
  >
    <TextField
      name="name"
      label={texts.name}
      required
      defaultValue={tag.name}
      maxLength={maxTagNameLength}
      refusals={{ conflict: texts.taken }}
    />
  </FormDialog>
);

function Merge({ tag, others, onClose }: { tag: Tag; others: readonly Tag[]; onClose(): void }) {
  const { tagId, filter } = useNotesPlace();
  const [into, setInto] = useState(others[0]?.id ?? '');
  return (
    <FormDialog
      title={texts.merge(tag.name)}
      description={texts.mergeDetail}
      action={texts.mergeAction}
      save={() => mergeTag(tag.id, into)}
      onSaved={() => {
        if (tag.id === tagId) filter('tag', into);
        toast({ title: texts.merged(tag.name) });
      }}
      onClose={onClose}
    >
      <SelectField name="into" label={texts.into} value={into} options={others} onChoose={setInto} />
    </FormDialog>
  );
}

async function tagNotes(ids: readonly string[], name: string): Promise<void> {
  try {
    const tagged = await changeMany({ ids, change: { add_tags: [name] }, doing: texts.adding });
    toast({ title: texts.taggedMany(formatNumber(tagged), name) });
  } finally {
    void refreshTagged();
  }
}

/** Gives the chosen notes a tag, known or new, besides the ones that they have. */
export function TagMany({ ids, onClose }: { ids: readonly string[]; onClose(): void }) {
  const known = useTags(useNotesPlace().spaceId).data ?? [];
  const list = useId();
  return (
    <FormDialog
      title={noteStrings.tags.tagMany}
      action={commonStrings.add}
      save={(typed) => tagNotes(ids, typed('add_tags'))}
      onSaved={stopSelecting}
      onClose={onClose}
    >
      <TextField
        name="add_tags"
        label={noteStrings.filters.tag}
        required
        autoComplete="off"
        maxLength={maxTagNameLength}
        list={list}
      />
      <datalist id={list}>
        {known.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </FormDialog>
  );
}
