import type { Operation } from './operation.ts';

/** Operations that are declared together, when a path of theirs is requested for the first time. */
export interface Area {
  /** How their paths begin: `/v2/transactions/{}/attachments`. Braces are any segment. */
  readonly paths: readonly string[];
  /** Declares them if they are not yet. */
  readonly operations: () => readonly Operation[];
}

/** Returns the operations of all areas, in their order. */
export function allOf(areas: readonly Area[]): readonly Operation[] {
  return areas.flatMap((area) => area.operations());
}
