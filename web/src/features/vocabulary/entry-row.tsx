import { type ReactNode, useState } from 'react';
import { commonStrings } from '../../strings/common.ts';
import { IconButton } from '../../ui/button.tsx';
import { Row } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Props {
  name: string;
  texts: { edit(name: string): string; remove(name: string): string; removed(name: string): string };
  detail?: ReactNode;
  remove(): Promise<unknown>;
  putBack(): Promise<unknown>;
  refresh(): Promise<unknown>;
  /** The form that changes it. */
  form(onClose: () => void): ReactNode;
  children: ReactNode;
}

/** A word or a snippet in its list. What is removed can be brought back for a while. */
export function EntryRow({ name, texts, detail, remove, putBack, refresh, form, children }: Props) {
  const [editing, setEditing] = useState(false);
  const undo = () => void putBack().catch(toastError).then(refresh);
  const away = useAction(remove, () => {
    toast({ title: texts.removed(name), action: { label: commonStrings.undo, run: undo } });
    return refresh();
  });
  if (editing) return <li className="row">{form(() => setEditing(false))}</li>;
  return (
    <Row
      detail={detail}
      actions={
        <>
          <IconButton icon="edit" label={texts.edit(name)} onClick={() => setEditing(true)} />
          <IconButton
            icon="trash"
            label={texts.remove(name)}
            disabled={away.isPending}
            onClick={() => away.mutate()}
          />
        </>
      }
    >
      {children}
    </Row>
  );
}
