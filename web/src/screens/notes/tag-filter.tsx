import { useTags } from '../../resources/tags.ts';
import { tagStrings as texts } from '../../strings/tags.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './notes.module.css';
import { useNotesPlace } from './place.ts';

/** Says with which tag the listed notes are, and leads back to all. */
export function TagFilter({ id }: { id: string }) {
  const { spaceId, filter } = useNotesPlace();
  const { data } = useTags(spaceId);
  const tag = data?.find((one) => one.id === id);
  return (
    <div className={styles.tagFilter}>
      <Icon name="tag" size={16} />
      <span className="truncate" role="status">
        {tag ? texts.only(tag.name) : data && texts.gone}
      </span>
      <IconButton icon="close" label={texts.all} onClick={() => filter('tag', '')} />
    </div>
  );
}
