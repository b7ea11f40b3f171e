import sql from 'sql-template-tag';
import type { Engine } from '../db/engine.ts';
import { rowAs } from '../db/rows.ts';
import { integer, nullable, text } from '../db/table.ts';

/** The size of the change logs of all books. */
export interface LogSize {
  readonly versions: number;
  /** Records with consecutive ids can share a line. */
  readonly lines: number;
  /** The bytes of the contents, without indexes. */
  readonly bytes: number;
  /** ISO 8601 in UTC; null if there is no change. */
  readonly oldest_at: string | null;
}

/** The columns of a line with numbers, without its contents. */
const lineBytes = 40;

/** Returns the size of the change logs. Reads all of them. */
export async function logSizeOf(engine: Engine): Promise<LogSize> {
  const size = await engine.read(() =>
    rowAs(
      { versions: integer, lines: integer, bytes: integer, oldest_at: nullable(text) },
      sql`
        SELECT versions, oldest_at, lines, contents + ${lineBytes} * lines AS bytes FROM
          (SELECT count(*) AS versions, min(at) AS oldest_at FROM changes) entries,
          (SELECT count(*) AS lines, CAST(coalesce(sum(octet_length(record) + coalesce(octet_length(diff), 0)), 0)
            AS BIGINT) AS contents FROM changed_records) all_lines`,
    ),
  );
  return size!;
}
