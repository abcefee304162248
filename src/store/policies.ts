import { sql } from 'kysely';
import { type Policy, policies } from '../domain/policy.ts';
import type { PolicyStore } from '../ports/store.ts';
import type { Database, Db } from './database.ts';

const blocksTranscription = 'blocks_cloud_transcription';
const blocksBackup = 'blocks_cloud_backup';
interface Blocks {
  [blocksTranscription]: number | null;
  [blocksBackup]: number | null;
}

export function createPolicyStore(database: Database): PolicyStore {
  const read = async (db: Db, workspaceId: string): Promise<Policy[] | undefined> => {
    const row = await db
      .selectFrom('workspaces')
      .select([blocksTranscription, blocksBackup])
      .where('id', '=', workspaceId)
      .executeTakeFirst();
    return row && policiesIn(row);
  };

  return {
    get: (workspaceId) => read(database.db, workspaceId),

    set(workspaceId, changes) {
      return database.write(async (trx) => {
        const before = await read(trx, workspaceId);
        if (!before) return undefined;
        const after = policies.filter((policy) => changes[policy] ?? before.includes(policy));
        await trx
          .updateTable('workspaces')
          .set({
            [blocksTranscription]: Number(after.includes('cloud transcription')),
            [blocksBackup]: Number(after.includes('cloud backup')),
          })
          .where('id', '=', workspaceId)
          .execute();
        return after;
      });
    },
  };
}

/**
 * Columns for a query that reads a credential: what the workspaces that manage its user block.
 * `userId` is the reference to the user's id in that query; `policiesIn` reads the columns.
 */
export function blocksOn(userId: string) {
  const worst = (column: keyof Blocks) =>
    sql<number | null>`(
      select max(managing.${sql.ref(column)})
      from workspace_members as membership
      join workspaces as managing on managing.id = membership.workspace_id
      where membership.user_id = ${sql.ref(userId)} and membership.managed = 1
    )`.as(column);
  return [worst(blocksTranscription), worst(blocksBackup)] as const;
}

export const policiesIn = (blocks: Blocks): Policy[] =>
  policies.filter((policy) => blocks[policy === 'cloud backup' ? blocksBackup : blocksTranscription] === 1);
