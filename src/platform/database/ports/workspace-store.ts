/** Reads of the feature `spaces`, for services that are no operations yet. */
export interface SpaceStore {
  has(workspaceId: string, id: string): Promise<boolean>;
  isShared(userId: string, id: string): Promise<boolean>;
}
