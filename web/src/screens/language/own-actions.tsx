import { useState } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { type Action, deleteAction, useActions } from '../../resources/language.ts';
import { useSession } from '../../resources/session.ts';
import { useWorkspaces } from '../../resources/workspaces.ts';
import { commonStrings } from '../../strings/common.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Row, Section } from '../../ui/page.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';
import { ActionForm } from './action-form.tsx';

/** Actions that this person made, and those that are shared in their workspaces. */
export function OwnActions() {
  const all = useActions();
  const me = useSession().data?.user_id;
  const workspaces = useWorkspaces().data ?? [];
  const [editing, setEditing] = useState<Action | 'new'>();
  const [question, confirm] = useConfirm();
  const remove = ({ id, name }: Action) =>
    confirm({
      title: texts.deleteTitle(name),
      description: texts.deleteDetail,
      action: commonStrings.delete,
      run: () => deleteAction(id),
    });
  useCommands([{ label: texts.create, run: () => setEditing('new') }]);
  const own = all.data?.filter(({ user_id }) => user_id !== null);
  const workspaceOf = (action: Action) => workspaces.find(({ id }) => id === action.workspace_id);
  const mayChange = (action: Action) => action.user_id === me || workspaceOf(action)?.role === 'admin';
  return (
    <Section
      title={texts.actions}
      actions={
        <Button icon="plus" onClick={() => setEditing('new')}>
          {texts.create}
        </Button>
      }
    >
      <p className="muted">{texts.actionsDetail}</p>
      <LoadedList
        from={{ ...all, data: own }}
        lines={3}
        label={texts.actions}
        empty={{ icon: 'spark', ...texts.none }}
      >
        {(action) => {
          const workspace = workspaceOf(action);
          const output = action.output === 'title' ? undefined : texts.outputs[action.output];
          return (
            <Row
              key={action.id}
              detail={[output, action.language, workspace && texts.shared(workspace.name)]
                .filter(Boolean)
                .join(' · ')}
              actions={
                mayChange(action) && (
                  <>
                    <IconButton
                      icon="edit"
                      label={texts.edit(action.name)}
                      onClick={() => setEditing(action)}
                    />
                    <IconButton
                      icon="trash"
                      label={texts.delete(action.name)}
                      onClick={() => remove(action)}
                    />
                  </>
                )
              }
            >
              {action.name}
            </Row>
          );
        }}
      </LoadedList>
      {editing && (
        <ActionForm
          {...(editing === 'new' ? {} : { action: editing })}
          workspaces={workspaces}
          onClose={() => setEditing(undefined)}
        />
      )}
      {question}
    </Section>
  );
}
