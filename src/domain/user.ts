import type { PlanName } from './plans.ts';

export interface User {
  id: string;
  email: string | null;
  name: string;
  plan: PlanName;
  created_at: string;
}
