export { gunzip, isGzip } from './bytes/gunzip.ts';
export { unzip } from './unzip.ts';
export { parseColumnMap, type ColumnMap } from './statement/column-map.ts';
export type { TableOutline } from './csv/table/outline.ts';
export { outlineTable, readStatement } from './read-statement.ts';
export {
  StatementError,
  type ProblemChoice,
  type StatementProblem,
} from './statement/statement-error.ts';
export { DATE_ORDERS, DECIMAL_SIGNS, readOptions } from './read-options.ts';
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
