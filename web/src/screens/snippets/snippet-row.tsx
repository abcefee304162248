import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  addSnippet,
  changeSnippet,
  refreshSnippets,
  removeSnippet,
  type Snippet,
  type SnippetDraft,
} from '../../resources/snippets.ts';
import { commonStrings } from '../../strings/common.ts';
import { snippetStrings } from '../../strings/vocabulary.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Row } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { SnippetForm } from './snippet-form.tsx';
import styles from './snippets.module.css';

const texts = snippetStrings;

export function SnippetRow({ snippet }: { snippet: Snippet }) {
  const client = useQueryClient();
  const [editing, setEditing] = useState(false);
  const { trigger, replacement } = snippet;
  const remove = useMutation({
    mutationFn: () => removeSnippet(snippet.id),
    onSuccess() {
      toast({ title: texts.removed(trigger), action: { label: commonStrings.undo, run: putBack } });
      return refreshSnippets(client);
    },
    onError: toastError,
  });
  const save = useMutation({
    mutationFn: (draft: SnippetDraft) => changeSnippet(snippet.id, draft),
    async onSuccess() {
      await refreshSnippets(client);
      setEditing(false);
    },
  });
  async function putBack() {
    await addSnippet({ trigger, replacement }).catch(toastError);
    refreshSnippets(client);
  }
  function leave() {
    save.reset();
    setEditing(false);
  }

  if (editing)
    return (
      <li className="row">
        <SnippetForm
          start={{ trigger, replacement }}
          error={save.error}
          autoFocus
          onSubmit={save.mutate}
          onCancel={leave}
        >
          <Button onClick={leave}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={save.isPending}>
            {commonStrings.save}
          </Button>
        </SnippetForm>
      </li>
    );
  return (
    <Row
      detail={<span className={styles.replacement}>{replacement}</span>}
      actions={
        <>
          <IconButton icon="edit" label={texts.edit(trigger)} onClick={() => setEditing(true)} />
          <IconButton
            icon="trash"
            label={texts.remove(trigger)}
            disabled={remove.isPending}
            onClick={() => remove.mutate()}
          />
        </>
      }
    >
      {trigger}
    </Row>
  );
}
