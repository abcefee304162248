import { formatRelative } from '../../lib/format.ts';
import { Link } from '../../lib/router.tsx';
import { useConversations } from '../../resources/conversations.ts';
import { useSharedSpaces } from '../../resources/spaces.ts';
import { askStrings as texts } from '../../strings/ask.ts';
import { IconButton } from '../../ui/button.tsx';
import { Loaded, LoadMore } from '../../ui/loaded.tsx';
import { List, Row, Section } from '../../ui/page.tsx';
import styles from './ask.module.css';
import { useDeleteConversation } from './delete-conversation.ts';

/** The conversations so far, the newest first. */
export function Earlier() {
  const list = useConversations();
  const spaces = useSharedSpaces().flatMap((workspace) => workspace.spaces);
  const [question, remove] = useDeleteConversation();
  return (
    <Loaded from={list} lines={3}>
      {(all) =>
        all.length > 0 && (
          <Section title={texts.earlier}>
            <List label={texts.earlier}>
              {all.map(({ id, title, space_id, updated_at }) => (
                <Row
                  key={id}
                  detail={[spaces.find((space) => space.id === space_id)?.name, formatRelative(updated_at)]
                    .filter(Boolean)
                    .join(' · ')}
                  actions={<IconButton icon="trash" label={texts.delete(title)} onClick={() => remove(id)} />}
                >
                  <Link className={styles.name} to={`/ask/${id}`} dir="auto">
                    {title}
                  </Link>
                </Row>
              ))}
            </List>
            <LoadMore from={list} />
            {question}
          </Section>
        )
      }
    </Loaded>
  );
}
