/** A value as written in the file, trimmed. */
export interface Field {
  readonly line: number;
  readonly value: string;
  /** Attribute `Ccy`. */
  readonly currency: string | null;
}

/** Values by path, such as `Refs/AcctSvcrRef`. Of several, the first that is not empty; texts are joined. */
export type Fields = ReadonlyMap<string, Field>;

/** A statement, report or notification as written in the file. */
export interface RawStatement {
  /** Index in the file, from 0. */
  readonly index: number;
  readonly line: number;
  readonly fields: Fields;
  readonly balances: readonly RawBalance[];
}

/** A `Bal`, not parsed. */
export interface RawBalance {
  readonly line: number;
  readonly fields: Fields;
}

/** A `Ntry`, not parsed. */
export interface RawEntry {
  readonly line: number;
  readonly statement: RawStatement;
  /** Identifies the account within the file. */
  readonly account: string;
  /** Index of the statement that this one continues; its own if it continues none. */
  readonly series: number;
  readonly fields: Fields;
  /** `TxDtls`; at most 500. */
  readonly details: readonly Fields[];
  /** The number of all `TxDtls`. */
  readonly detailCount: number;
}
