import type { Store } from '../ports/store.ts';
import { createDictionaryStore } from './dictionary.ts';
import type { SqlEngine } from './engine.ts';
import { createFolderStore } from './folders.ts';
import { createKeyStore } from './keys.ts';
import { createNoteStore } from './notes.ts';
import { createPolicyStore } from './policies.ts';
import { createSnippetStore } from './snippets.ts';
import { createSwitchStore } from './switches.ts';
import { createLeaseStore } from './transcription-leases.ts';
import { createTranscriptionStore } from './transcriptions.ts';
import { createUsageStore } from './usage.ts';
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
    transcriptions: createTranscriptionStore(engine),
    leases: createLeaseStore(engine),
    usage: createUsageStore(engine),
    policies: createPolicyStore(engine),
    dictionary: createDictionaryStore(engine),
    snippets: createSnippetStore(engine),
    switches: createSwitchStore(engine),
    async ping() {
      await engine.db.selectFrom('schema_migrations').select('name').limit(1).execute();
    },
    close: () => engine.close(),
  };
}
