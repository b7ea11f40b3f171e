export { gunzip, isGzip } from './bytes/unpack.ts';
export { unzip } from './unzip.ts';
export { parseColumnMap, type ColumnMap } from './statement/statement.ts';
export type { TableOutline } from './csv/table/outline.ts';
export { outlineTable, readStatement } from './read-statement.ts';
export { StatementError } from './statement/statement-error.ts';
export { type ProblemChoice, type StatementProblem } from './statement/statement.ts';
export { readOptions } from './read-options.ts';
export { DATE_ORDERS, DECIMAL_SIGNS } from './statement/statement.ts';
export type { OptionProblem, OptionTexts } from './read-options.ts';
export { STATEMENT_FORMATS } from './statement/statement.ts';
export type {
  BadRows,
  Entry,
  EntryPart,
  LeftOut,
  MappedColumn,
  SeenColumn,
  Statement,
  StatementAccount,
  StatementFormat,
  StatementOptions,
  StatementSource,
  StatementWarning,
  TableMapping,
} from './statement/statement.ts';
