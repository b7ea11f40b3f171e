import type { MigrationWords } from '../words.ts';

/** The last run of each job. */
export function jobs({ text, sortedText, endOfKeyedTable }: MigrationWords): string {
  return `
CREATE TABLE job_runs (
  name ${sortedText} PRIMARY KEY,
  ran_at ${text} NOT NULL
)${endOfKeyedTable};
`;
}
