import type { Stamp } from '../report/stamp.ts';
import type { Workspace } from './workspace.ts';

/** The input of a part. */
export interface PartPlan {
  /** The transactions of the large book. */
  readonly rows: number;
  readonly stamp: Stamp;
  /** A temporary folder of this part alone. */
  readonly folder: string;
  /** The folder of another checkout of Coffer to compare with, or null. */
  readonly against: string | null;
  /** The large book, which the part must leave as it is; null for parts without it. */
  readonly workspace: Workspace | null;
}

/** A part and its plan, as its process gets them. */
export interface PartRequest {
  readonly name: string;
  readonly plan: PartPlan;
}
