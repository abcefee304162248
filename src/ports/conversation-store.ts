import type { Conversation, Turn } from '../domain/ask.ts';
import type { PageQuery } from '../domain/page.ts';

export interface ConversationStore {
  list(userId: string, page: PageQuery): Promise<Conversation[]>;
  get(userId: string, id: string): Promise<(Conversation & { turns: Turn[] }) | undefined>;
  /**
   * Adds a turn. A conversation with `isNew` begins with it, and the oldest one of the person goes if there are too many.
   * False if the conversation or the account is gone.
   */
  add(userId: string, conversation: Conversation & { isNew: boolean }, turn: Turn): Promise<boolean>;
  remove(userId: string, id: string): Promise<boolean>;
}
