import { notFound } from '../domain/errors.ts';
import { lowerPlan, type PlanName } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import type { JoinedWorkspace, Workspace } from '../domain/workspace.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

interface Dependencies {
  store: Store;
  clock: Clock;
  newId: NewId;
  defaultPlan: PlanName;
}

export type Workspaces = ReturnType<typeof createWorkspaces>;

/** Members, spaces, policies and keys of a workspace have their own services. */
export function createWorkspaces({ store, clock, newId, defaultPlan }: Dependencies) {
  /** For the operator. Raises `not_found`. */
  async function find(id: string): Promise<Workspace> {
    const workspace = await store.workspaces.find(id);
    if (!workspace) throw notFound('Workspace');
    return workspace;
  }

  return {
    find,

    /** For the operator: all workspaces. */
    list: (): Promise<Workspace[]> => store.workspaces.list(),

    /** The workspaces of the caller. */
    listJoined: (principal: Principal): Promise<JoinedWorkspace[]> =>
      store.workspaces.listJoined(principal.userId),

    /** Without a plan of the operator it has the default plan, or the plan of the person who makes it if that is lower. */
    async create(
      firstAdmin: { readonly userId: string; readonly plan?: PlanName },
      draft: { name: string; plan?: PlanName | undefined },
    ): Promise<JoinedWorkspace> {
      const workspace = {
        id: newId(),
        name: draft.name,
        plan: draft.plan ?? lowerPlan(defaultPlan, firstAdmin.plan ?? defaultPlan),
        created_at: new Date(clock()).toISOString(),
      };
      await store.workspaces.insert(workspace, firstAdmin.userId);
      const policy = {
        block_cloud_transcription: false,
        block_cloud_backup: false,
        block_language_models: false,
      };
      return { ...workspace, role: 'admin', managed: false, policy };
    },

    /** For the operator. Raises `not_found`. */
    async setPlan(id: string, plan: PlanName): Promise<Workspace> {
      const workspace = await find(id);
      await store.workspaces.setPlan(id, plan);
      return { ...workspace, plan };
    },
  };
}
