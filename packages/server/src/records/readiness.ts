/** What a store can do at the moment. */
export interface Readiness {
  readonly canRead: boolean;
  /** False after a write that the disk refused, until one succeeds again. */
  readonly canWrite: boolean;
}
