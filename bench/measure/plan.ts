import type { Stamp } from '../report/results.ts';
import type { Workspace } from './workspace.ts';

export interface PartPlan {
  readonly rows: number;
  readonly stamp: Stamp;
  readonly folder: string;
  readonly against: string | null;
  /** What the part `stalls` measures. */
  readonly choice: StallsChoice;
  /** The large book; it is not there for parts without it. */
  readonly workspace: Workspace;
}

export interface StallsChoice {
  /** A regular expression for the names of requests. */
  readonly only?: string | undefined;
  /** `sqlite` or `postgres`; both without it. */
  readonly engine?: string | undefined;
  /** Seconds of the mix. */
  readonly mix?: string | undefined;
  /** A folder that keeps the filled file of SQLite for the next run. */
  readonly keep?: string | undefined;
}

export interface PartRequest {
  readonly name: string;
  readonly plan: PartPlan;
}
