import { useState } from 'react';
import { isNotFound } from '../../api/errors.ts';
import { useCommands } from '../../lib/commands.ts';
import { Navigate, navigate, useParams } from '../../lib/router.tsx';
import { type Question, useConversation } from '../../resources/conversations.ts';
import { useForbiddenBy, useModelHost } from '../../resources/language.ts';
import { useHasModel } from '../../resources/session.ts';
import { askStrings as texts } from '../../strings/ask.ts';
import { IconButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import styles from './ask.module.css';
import { useDeleteConversation } from './delete-conversation.ts';
import { Earlier } from './earlier.tsx';
import { Forbidden } from './forbidden.tsx';
import { AskForm, type Filters, noFilters } from './form.tsx';
import { Answered, Coming } from './turn.tsx';
import { useAsking } from './use-asking.ts';

export function Screen() {
  const { id } = useParams();
  return useHasModel() ? <Ask id={id} /> : <Navigate to="/notes" replace />;
}

/** A new question, or a conversation to go on with. */
function Ask({ id }: { id: string | undefined }) {
  const host = useModelHost();
  const isForbidden = useForbiddenBy() !== undefined;
  const conversation = useConversation(id);
  const [question, remove] = useDeleteConversation();
  const [chosen, setChosen] = useState<Filters & { of: string | undefined }>();
  const filters = chosen?.of === id && chosen ? chosen : noFilters;
  const asking = useAsking(id, (asked, answer) => {
    const { conversation_id: begun } = answer;
    if (begun === null || begun === id) return;
    // The next question is asked of the same notes; its space is the conversation's.
    setChosen({ ...filters, ...(asked.space_id ? { where: '' } : {}), of: begun });
    navigate(`/ask/${begun}`);
  });
  const leave = () => navigate('/ask');
  useCommands(
    id === undefined
      ? []
      : [
          { id: 'leave', run: leave },
          { label: texts.new, run: leave },
        ],
  );
  const isGone = isNotFound(conversation.error);
  const spaceId = conversation.data?.space_id ?? undefined;
  const begin = (asked: Question) =>
    asking.begin({ ...asked, ...(id === undefined ? {} : { conversation_id: id }) });
  return (
    <Page
      title={texts.title}
      lead={id === undefined && texts.lead}
      {...(id === undefined ? {} : { back: { to: '/ask', label: texts.back } })}
      actions={
        conversation.data && (
          <IconButton icon="trash" label={texts.deleteThis} onClick={() => id && remove(id, leave)} />
        )
      }
    >
      <Forbidden />
      {id !== undefined && conversation.isPending && <Skeleton lines={6} />}
      {isGone ? (
        <EmptyState icon="ask" {...texts.gone} />
      ) : (
        conversation.error && <ErrorState error={conversation.error} onRetry={conversation.refetch} />
      )}
      {conversation.data?.turns.map((turn) => (
        <Answered key={turn.created_at} turn={turn} spaceId={spaceId} />
      ))}
      {id !== undefined && asking.current && <Coming {...asking.current} />}
      {!isGone && !isForbidden && (
        <div className={styles.form}>
          <AskForm
            conversation={conversation.data}
            isAsking={asking.current !== undefined}
            id={id}
            error={asking.error}
            filters={filters}
            onFilter={(change) => setChosen({ ...filters, ...change, of: id })}
            onAsk={begin}
            onStop={asking.stop}
          />
          <p className="field-hint">{host === undefined ? texts.sentToUnknown : texts.sentTo(host)}</p>
        </div>
      )}
      {id === undefined && asking.current && <Coming {...asking.current} />}
      {id === undefined && !asking.current && <Earlier />}
      {question}
    </Page>
  );
}
