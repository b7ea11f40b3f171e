import type { Stamp } from '../report/results.ts';
import type { Workspace } from './workspace.ts';

export interface PartPlan {
  readonly rows: number;
  readonly stamp: Stamp;
  readonly folder: string;
  readonly against: string | null;
  /** The large book, which the part must leave as it is; null for parts without it. */
  readonly workspace: Workspace | null;
}

export interface PartRequest {
  readonly name: string;
  readonly plan: PartPlan;
}
