import { useState } from 'react';
import { formatRelative } from '../../lib/format.ts';
import { Link } from '../../lib/router.tsx';
import { useConversations } from '../../resources/conversations.ts';
import { useSharedSpaces } from '../../resources/spaces.ts';
import { askStrings as texts } from '../../strings/ask.ts';
import { commonStrings } from '../../strings/common.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { List, Row, Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import styles from './ask.module.css';
import { DeleteConversation } from './delete-conversation.tsx';

/** The conversations so far, the newest first. */
export function Earlier() {
  const list = useConversations();
  const spaces = useSharedSpaces().flatMap((workspace) => workspace.spaces);
  const [deleting, setDeleting] = useState<string>();
  const all = list.data?.pages.flatMap((page) => page.data) ?? [];
  if (list.isPending) return <Skeleton lines={3} />;
  if (list.isError) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (all.length === 0) return null;
  return (
    <Section title={texts.earlier}>
      <List label={texts.earlier}>
        {all.map(({ id, title, space_id, updated_at }) => (
          <Row
            key={id}
            detail={[spaces.find((space) => space.id === space_id)?.name, formatRelative(updated_at)]
              .filter(Boolean)
              .join(' · ')}
            actions={<IconButton icon="trash" label={texts.delete(title)} onClick={() => setDeleting(id)} />}
          >
            <Link className={styles.name} to={`/ask/${id}`} dir="auto">
              {title}
            </Link>
          </Row>
        ))}
      </List>
      {list.hasNextPage && (
        <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          {commonStrings.loadMore}
        </Button>
      )}
      {deleting !== undefined && (
        <DeleteConversation id={deleting} onClose={() => setDeleting(undefined)} onDeleted={() => {}} />
      )}
    </Section>
  );
}
