import type { PlanName } from './plans.ts';

export const maxWorkspaceNameLength = 100;
export const maxSpaceNameLength = 100;
export const maxSpaceDescriptionLength = 500;
export const maxEmojiLength = 16;

export interface Space {
  id: string;
  name: string;
  slug: string;
  description: string | null;
  emoji: string | null;
  created_at: string;
  updated_at: string;
}

export interface Workspace {
  id: string;
  name: string;
  plan: PlanName;
  created_at: string;
}

/** `Ärzte & Büro` → `arzte-buro`; never empty. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'space' : slug;
}
