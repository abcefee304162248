import type { PlanName } from './plans.ts';

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
