import type { KeyOwner, StoredKey } from '../../src/domain/api-key.ts';
import type { Act, AuditFilter } from '../../src/domain/audit.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { MemberChanges, Membership } from '../../src/domain/member.ts';
import type { PageQuery } from '../../src/domain/page.ts';
import type { PlanName } from '../../src/domain/plans.ts';
import type { PolicyChanges } from '../../src/domain/policy.ts';
import { type Authority, operator } from '../../src/domain/principal.ts';
import type { Workspace } from '../../src/domain/workspace.ts';
import { forgetEvents } from '../../src/features/audit/acts.ts';
import * as auditQueries from '../../src/features/audit/queries.ts';
import * as keyActs from '../../src/features/keys/acts.ts';
import * as keyQueries from '../../src/features/keys/queries.ts';
import * as memberActs from '../../src/features/members/acts.ts';
import * as memberQueries from '../../src/features/members/queries.ts';
import * as spaceActs from '../../src/features/spaces/acts.ts';
import * as spaceQueries from '../../src/features/spaces/queries.ts';
import type { Space, SpaceChanges, SpaceDraft } from '../../src/features/spaces/schema.ts';
import * as workspaceActs from '../../src/features/workspaces/acts.ts';
import * as workspaceQueries from '../../src/features/workspaces/queries.ts';
import type { CommandContext, Context } from '../../src/kernel/context.ts';
import { act, atTheCommandLine, contextFor } from '../../src/kernel/run.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { recordAs } from '../../src/platform/database/audit.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { createIdempotencyStore } from '../../src/platform/database/idempotency.ts';
import { installedValue, setInstalledValue, sharedValue } from '../../src/platform/database/installation.ts';
import { createKeyStore } from '../../src/platform/database/keys.ts';
import { testParts } from './parts.ts';
import { principalOf } from './principal.ts';

type KeyDraft = Parameters<typeof keyActs.issueKey>[2];
type Acting = CommandContext<Authority>;
interface Services {
  act<Result>(work: (context: Acting) => Promise<Result>): Promise<Result>;
  look(): Context<Authority>;
}

/** What the operator, or a principal, does with workspaces and what belongs to them; each in one transaction. */
export function teamActs(services: Services) {
  const as = <Result>(who: Authority, work: (context: Acting) => Promise<Result>) =>
    services.act((context) => work({ ...context, origin: context.origin, signal: context.signal, who }));
  const look = (who: Authority) => ({ ...services.look(), who });
  type Draft = { name: string; plan?: PlanName | undefined };
  type Reach = { workspaceId?: string };
  return {
    workspaces: {
      list: () => workspaceQueries.all(services.look().db),
      create: (admin: { userId: string; plan?: PlanName }, draft: Draft) =>
        as(operator, (context) => workspaceActs.createWorkspace(context, admin, draft)),
      setPlan: (id: string, plan: PlanName) =>
        as(operator, (context) => workspaceActs.setPlan(context, id, plan)),
    },
    members: {
      list: (who: Authority, id: string) => memberActs.listMembers(look(who), id),
      add: (who: Authority, id: string, { user_id, role }: Pick<Membership, 'user_id' | 'role'>) =>
        as(who, (context) => memberActs.addMember(context, id, { userId: user_id, role })),
      update: (who: Authority, workspaceId: string, userId: string, changes: MemberChanges) =>
        as(who, (context) => memberActs.updateMember(context, { workspaceId, userId }, changes)),
      remove: (who: Authority, workspaceId: string, userId: string, how: { revokeKeys: boolean }) =>
        as(who, (context) => memberActs.removeMember(context, { workspaceId, userId }, how)),
    },
    spaces: {
      list: (who: Authority, id: string) => spaceActs.listSpaces(look(who), id),
      create: (who: Authority, id: string, draft: SpaceDraft) =>
        as(who, (context) => spaceActs.createSpace(context, id, draft)),
      update: (who: Authority, reach: Reach, id: string, changes: SpaceChanges) =>
        as(who, (context) => spaceActs.updateSpace(context, { ...reach, id }, changes)),
      archive: (who: Authority, reach: Reach, id: string) =>
        as(who, (context) => spaceActs.archiveSpace(context, { ...reach, id })),
    },
    keys: {
      list: (who: Authority, owner: KeyOwner) => keyActs.listKeys(look(who), owner),
      issue: (who: Authority, owner: Parameters<typeof keyActs.issueKey>[1], draft: KeyDraft) =>
        as(who, (context) => keyActs.issueKey(context, owner, draft)),
      rotate: (who: Authority, owner: KeyOwner, id: string, graceHours: number) =>
        as(who, (context) => keyActs.rotateKey(context, { owner, id }, graceHours)),
      revoke: (who: Authority, owner: KeyOwner, id: string) =>
        as(who, (context) => keyActs.revokeKey(context, { owner, id })),
    },
    policies: {
      get: (who: Authority, id: string) => workspaceActs.readPolicy(look(who), id),
      update: (who: Authority, id: string, changes: PolicyChanges) =>
        as(who, (context) => workspaceActs.updatePolicy(context, id, changes)),
    },
  };
}

/** Rows of workspaces and what belongs to them, at the times that a test names. A refusal is its code. */
export function teamRows(database: Database) {
  const { db } = database;
  async function as<Result>(
    who: Authority,
    now: string,
    work: (context: Acting) => Promise<Result>,
    id?: string,
  ) {
    const newId = () => id ?? newUuid();
    const actor = { database, clock: () => Date.parse(now), newId, parts: testParts(database) };
    return act(contextFor(actor, who), {}, work).catch((cause: unknown) => {
      if (cause instanceof AppError) return cause.code;
      throw cause;
    });
  }
  const today = () => new Date().toISOString();
  const isCode = (outcome: unknown) => typeof outcome === 'string';
  type Reach = { workspaceId?: string };
  return {
    workspaces: {
      find: (id: string) => workspaceQueries.find(db, id),
      list: () => workspaceQueries.all(db),
      listJoined: (userId: string) => workspaceQueries.joinedBy(db, userId),
      insert: ({ id, created_at, ...draft }: Workspace, userId: string) =>
        as(operator, created_at, (context) => workspaceActs.createWorkspace(context, { userId }, draft), id),
      setPlan: async (id: string, plan: PlanName) =>
        !isCode(await as(operator, today(), (context) => workspaceActs.setPlan(context, id, plan))),
    },
    members: {
      list: (id: string, now: string) => memberQueries.list(db, id, now),
      roleOf: (id: string, userId: string) => memberQueries.roleOf(db, id, userId),
      firstAdmin: (id: string) => memberQueries.firstAdmin(db, id),
      add: async (id: string, { user_id, role, managed, created_at }: Membership) => {
        const added = await as(operator, created_at, (context) =>
          memberActs.addMember(context, id, { userId: user_id, role }),
        );
        if (isCode(added)) return added;
        if (managed)
          await database.write((tx) =>
            tx.updateTable('workspace_members').set({ managed: 1 }).where('user_id', '=', user_id).execute(),
          );
        return 'ok';
      },
      /** As the operator, or as an admin, who may not begin to manage another person. */
      change: async (workspaceId: string, userId: string, changes: MemberChanges, mayManage: boolean) => {
        const admin = mayManage ? undefined : await memberQueries.firstAdmin(db, workspaceId);
        const who = admin === undefined ? operator : principalOf(admin);
        const changed = await as(who, today(), (context) =>
          memberActs.updateMember(context, { workspaceId, userId }, changes),
        );
        return isCode(changed) ? changed : 'ok';
      },
      remove: async (workspaceId: string, userId: string, revokeKeysAt: string | null) =>
        (await as(operator, revokeKeysAt ?? today(), (context) =>
          memberActs.removeMember(context, { workspaceId, userId }, { revokeKeys: revokeKeysAt !== null }),
        )) ?? 'ok',
    },
    spaces: {
      list: (workspaceId: string) => spaceQueries.list(db, workspaceId),
      has: async (workspaceId: string, id: string) =>
        (await spaceQueries.find(db, { workspaceId, id })) !== undefined,
      isShared: (userId: string, id: string) => spaceQueries.isShared(db, userId, id),
      insert: (workspaceId: string, space: Space) =>
        database.write((tx) => spaceQueries.insert(tx, workspaceId, space)),
      update: async (reach: Reach, id: string, changes: SpaceChanges, now: string) => {
        const changed = await as(operator, now, (context) =>
          spaceActs.updateSpace(context, { ...reach, id }, changes),
        );
        return typeof changed === 'string' ? undefined : changed;
      },
      archive: async (reach: Reach, id: string, now: string) =>
        !isCode(await as(operator, now, (context) => spaceActs.archiveSpace(context, { ...reach, id }))),
    },
    audit: {
      record: (event: Act, from = atTheCommandLine(today())) =>
        database.write((tx) => recordAs(from)(tx, event)),
      list: (filter: AuditFilter, page: PageQuery) => auditQueries.list(db, filter, page),
      addRefusals: (refusals: readonly auditQueries.Refusals[], most: number) =>
        database.write((tx) => auditQueries.addRefusals(tx, refusals, most)),
      forget: (before: string) => forgetEvents(database, before),
    },
    idempotency: createIdempotencyStore(database),
    installation: {
      read: (name: string) => installedValue(db, name),
      set: (name: string, value: string) => database.write((tx) => setInstalledValue(tx, name, value)),
      valueOf: (name: string, fallback: string) => sharedValue(database, name, fallback),
    },
    keys: {
      ...createKeyStore(database),
      listActive: (owner: KeyOwner, now: string) => keyQueries.list(db, owner, now),
      insert: async (key: StoredKey, most: number, now: string) =>
        (await as(operator, now, (context) => keyActs.storeKey(context, key, most))) ?? 'ok',
      revoke: async (owner: KeyOwner, id: string, now: string) =>
        !isCode(await as(operator, now, (context) => keyActs.revokeKey(context, { owner, id }))),
      /** Returns the hash of the new secret. */
      rotate: async (
        owner: KeyOwner,
        id: string,
        { now, oldExpiresAt }: Record<'now' | 'oldExpiresAt', string>,
      ) => {
        const hours = (Date.parse(oldExpiresAt) - Date.parse(now)) / 3_600_000;
        const rotated = await as(operator, now, (context) =>
          keyActs.rotateKey(context, { owner, id }, hours),
        );
        return typeof rotated === 'string' ? undefined : rotated;
      },
    },
    policies: {
      get: (id: string) => workspaceQueries.policyOf(db, id),
      update: async (id: string, changes: PolicyChanges) => {
        const policy = await as(operator, today(), (context) =>
          workspaceActs.updatePolicy(context, id, changes),
        );
        return typeof policy === 'string' ? undefined : policy;
      },
    },
  };
}
