import type { Highlight, NoteFilter } from '../../domain/note.ts';
import type { SearchQuery } from '../rank/query.ts';

export interface FindRequest {
  ownerId: string;
  query: SearchQuery;
  limit: number;
  filter: NoteFilter;
  highlights: boolean;
  /** Of computing, without what the database or other programs take. */
  timeLimitMs?: number;
}

export interface Found {
  /** Best first. A rank is positive and means something only beside the others. */
  hits: { seq: number; rank: number; highlights?: Highlight[] }[];
  total: number;
  complete: boolean;
  /** How many notes were not in a stored segment. */
  freshNotes: number;
}
