import type { Clock } from '../../src/lib/clock.ts';
import { composeServices } from '../../src/services.ts';
import { asOperator, identityStore } from './identity.ts';
import { invitationRows } from './invitations.ts';
import { leaseRows } from './leases.ts';
import { type DatabaseKind, migratedDatabase } from './steno.ts';
import { storedNotes } from './stored-notes.ts';
import { storedRecordings } from './stored-recordings.ts';
import { teamActs, teamRows } from './teams.ts';

export type TestStore = Awaited<ReturnType<typeof openStore>>;

/** The storage layer alone on a migrated database of its own; `another` opens it once more, as a second process does. */
export type RowStore = TestStore['store'];

export async function openStore(databaseKind: DatabaseKind, { clock }: { clock?: Clock } = {}) {
  const database = await migratedDatabase(databaseKind);
  const options = clock ? { clock } : {};
  const open = async () => {
    const services = await composeServices(database.config, options);
    const store = {
      ...teamRows(services.database),
      ...invitationRows(services.database),
      ...leaseRows(services.database),
      ...storedNotes(services.database),
      ...storedRecordings(services.database),
      ...identityStore(services),
    };
    return { ...services, ...asOperator(services), ...teamActs(services), store };
  };
  const opened = [await open()];
  const [first] = opened;
  if (!first) throw new Error('composeServices gave nothing');
  return {
    ...first,
    config: database.config,
    dispose: database.dispose,
    async another() {
      const services = await open();
      opened.push(services);
      return services;
    },
    async close() {
      for (const services of opened) await services.close();
      await database.dispose();
    },
  };
}
