import type { StoredNote } from '../../notes/doc.ts';
import { useMembers } from '../../resources/members.ts';
import { useSession } from '../../resources/session.ts';
import { useSharedSpaces } from '../../resources/spaces.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { useNotesPlace } from './place.ts';

type Written = Pick<StoredNote, 'edited_by' | 'edited_with'>;

/** Says who wrote a text: this person, a program of theirs, or a member of the workspace. */
export function useWriters(you = texts.you): (text: Written) => string {
  const me = useSession().data?.user_id;
  const { spaceId } = useNotesPlace();
  const workspace = useSharedSpaces().find(({ spaces }) => spaces.some(({ id }) => id === spaceId));
  const members = useMembers(workspace?.id).data;
  return ({ edited_by, edited_with }) => {
    if (edited_with !== null) return texts.program(edited_with);
    if (edited_by === null || edited_by === me) return you;
    return members?.find(({ user_id }) => user_id === edited_by)?.name || texts.someone;
  };
}
