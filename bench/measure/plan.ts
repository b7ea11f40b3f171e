import type { Stamp } from '../report/results.ts';
import type { Workspace } from './workspace.ts';

export interface PartPlan {
  readonly rows: number;
  readonly stamp: Stamp;
  readonly folder: string;
  readonly against: string | null;
  /** The large book; it is not there for parts without it. */
  readonly workspace: Workspace;
}

export interface PartRequest {
  readonly name: string;
  readonly plan: PartPlan;
}
