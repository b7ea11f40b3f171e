import type { MigrationWords } from '../words.ts';

/** Rules for new transactions. They refer to records inside of their JSON, so deletions of records update them. */
export function rules({ id, bookKey, integer, text, flag, endOfTable }: MigrationWords): string {
  return `
CREATE TABLE rules (
  id ${id},
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  position ${integer} NOT NULL,
  name ${text} NOT NULL,
  conditions ${text} NOT NULL,
  actions ${text} NOT NULL,
  stop ${flag} NOT NULL DEFAULT 0 CHECK (stop IN (0, 1)),
  created_at ${text} NOT NULL,
  updated_at ${text} NOT NULL,
  ${bookKey}
)${endOfTable};
`;
}
