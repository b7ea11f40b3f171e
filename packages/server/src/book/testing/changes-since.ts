import sql from 'sql-template-tag';
import type { Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';

interface LoggedChange {
  readonly version: number;
  readonly operation: string;
}

export function* changesSince(bookId: number, version: number): Steps<LoggedChange[]> {
  return yield* rowsAs(
    { version: integer, operation: text },
    sql`SELECT version, operation FROM changes WHERE book_id = ${bookId} AND version > ${version} ORDER BY version`,
  );
}
