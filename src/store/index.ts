import type { Store } from '../ports/store.ts';
import type { SqlEngine } from './engine.ts';
import { createFolderStore } from './folders.ts';
import { createKeyStore } from './keys.ts';
import { createNoteStore } from './notes.ts';
import { createUserStore } from './users.ts';
import { createWorkspaceStore } from './workspaces.ts';

/** One set of queries for both engines. */
export function createStore(engine: SqlEngine): Store {
  return {
    notes: createNoteStore(engine),
    folders: createFolderStore(engine),
    keys: createKeyStore(engine),
    users: createUserStore(engine),
    workspaces: createWorkspaceStore(engine),
    async ping() {
      await engine.db.selectFrom('schema_migrations').select('name').limit(1).execute();
    },
    close: () => engine.close(),
  };
}
