/*
 * Writes batches to a database: `node prove/disk/store-writer.ts ORDER`, with a WriterOrder as JSON. Prints `ACK n`
 * when batch n is stored, or `NO n KIND` when it is refused. Ends with 3 when it cannot open the database. This is a
 * separate process so that it can be recorded and killed.
 */
import { writeSync } from 'node:fs';
import { isDatabaseError } from '../../packages/server/src/db/errors.ts';
import { migrate } from '../../packages/server/src/db/sqlite/migrate.ts';
import { openSqlite } from '../../packages/server/src/db/sqlite/sqlite.ts';
import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { entryOf, importInto } from '../../test/service/imported.ts';
import { payeeOf } from '../run/ledger.ts';

export interface WriterOrder {
  readonly database: string;
  readonly bookId: number;
  readonly batchCount: number;
  readonly rowCount: number;
  /** SQL that runs first; the control, which must lose something, sets `PRAGMA synchronous = NORMAL`. */
  readonly script?: string;
  /** Kill the process when a batch was refused, instead of continuing with the next. */
  readonly diesOfRefusal?: boolean;
}

export function writerProgram(order: WriterOrder): string[] {
  return [process.execPath, import.meta.filename, JSON.stringify(order)];
}

if (import.meta.main) await writeBatches(JSON.parse(process.argv[2] ?? '') as WriterOrder);

async function writeBatches(order: WriterOrder): Promise<void> {
  const engine = openOrEnd(order);
  for (let batch = 1; batch <= order.batchCount; batch += 1) {
    // The kind of the database error, or another error as text.
    const refusal = await importInto(engine, order.bookId, entriesOf(batch, order.rowCount)).then(
      () => null,
      (error: unknown) => (isDatabaseError(error) ? error.kind : String(error)),
    );
    writeSync(1, refusal === null ? `ACK ${batch}\n` : `NO ${batch} ${refusal}\n`);
    if (refusal !== null && order.diesOfRefusal === true) process.kill(process.pid, 'SIGKILL');
  }
  await engine.close();
}

function openOrEnd(order: WriterOrder): Engine {
  try {
    const opened = openSqlite({ path: order.database, busyTimeoutMs: 30_000 });
    migrate(opened);
    if (order.script !== undefined) opened.execute(order.script);
    return opened;
  } catch (error) {
    console.error(String(error));
    process.exit(3);
  }
}

function entriesOf(batch: number, rowCount: number): ImportEntry[] {
  return Array.from({ length: rowCount }, (_, index) => {
    const line = index + 1;
    const date = `2024-${String(1 + (line % 12)).padStart(2, '0')}-15`;
    const account = line % 2 === 0 ? 'Cash' : 'Bank';
    const category = `Category ${batch % 10}`;
    const payee = payeeOf(batch);
    return entryOf({ line, date, amount: -10_000 * line, payee, category, account });
  });
}
