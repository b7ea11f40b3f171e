import type { MigrationWords } from '../words.ts';

/** The last scheduled backup that succeeded, and the last one that failed, of all nodes together. */
export function backupResults({
  integer,
  text,
  sortedText,
  endOfKeyedTable,
}: MigrationWords): string {
  return `
CREATE TABLE backup_results (
  outcome ${sortedText} NOT NULL CHECK (outcome IN ('succeeded', 'failed')),
  at ${text} NOT NULL,
  name ${text} NOT NULL,
  bytes ${integer},
  message ${text},
  PRIMARY KEY (outcome)
)${endOfKeyedTable};
`;
}
