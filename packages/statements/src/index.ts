export { gunzip, isGzip } from './bytes/gunzip.ts';
export { parseColumnMap, type ColumnMap } from './csv/column-map.ts';
export { readStatement } from './read-statement.ts';
export { StatementError, type StatementProblem } from './statement-error.ts';
export type {
  Entry,
  LeftOut,
  Statement,
  StatementAccount,
  StatementFormat,
  StatementOptions,
  StatementSource,
} from './statement.ts';
