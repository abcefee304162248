import type { Conversation, Turn } from '../domain/ask.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import type { PageQuery } from '../domain/page.ts';

/**
 * The conversations of one person, and of those only the ones about notes that the call may read: titles and answers have words
 * of them. A workspace key has none.
 */
export interface ConversationStore {
  list(reach: OwnerFilter, page: PageQuery): Promise<Conversation[]>;
  get(reach: OwnerFilter, id: string): Promise<(Conversation & { turns: Turn[] }) | undefined>;
  /**
   * Adds a turn. A conversation with `isNew` begins with it, and the oldest one of the person goes if there are too many.
   * False if the conversation or the account is gone. Raises `not_found` for a space that the person has left.
   */
  add(userId: string, conversation: Conversation & { isNew: boolean }, turn: Turn): Promise<boolean>;
  remove(reach: OwnerFilter, id: string): Promise<boolean>;
}
