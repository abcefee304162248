import { remembered } from '../../lib/remembered.ts';
import type { NoteSort } from '../../resources/note-list.ts';

export const sortKey = 'note-sort';

export const rememberedSort = (): NoteSort => (remembered(sortKey) === 'updated' ? 'updated' : 'created');
