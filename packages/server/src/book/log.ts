/** What happened to records. The log has ids for `made`, columns before and after for `changed`, rows for `removed`. */
export type ChangeKind = 'made' | 'changed' | 'removed';

/** The content of a line: `{column: [before, after]}`, or a row, or the rest of the key. */
export type Diff = Readonly<Record<string, unknown>>;

/** One line of the log: records of one table with ids from `firstId` to `lastId`, both inclusive. */
export interface ChangedRecords {
  readonly record: string;
  readonly firstId: number;
  readonly lastId: number;
  readonly kind: ChangeKind;
  readonly diff: Diff | null;
}

/** A line as it is stored. Within a version, places ascend in the order of the writes. */
export interface LoggedRecords extends ChangedRecords {
  readonly version: number;
  readonly place: number;
}
