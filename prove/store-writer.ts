/*
 * Writes batches to a database as fast as it goes, and says `ACK n` when the n-th is stored or `NO n CODE` when it was
 * refused: `node prove/store-writer.ts ORDER`, with a WriterOrder as JSON. Ends with 3 when it cannot open the
 * database. A process of its own, so that it can be recorded, hindered and killed.
 */
import { writeSync } from 'node:fs';
import type { Store } from '../packages/server/src/main.ts';
import { migrate } from '../packages/server/src/store/migrate.ts';
import { openSqlite } from '../packages/server/src/store/sqlite.ts';
import { createStore } from '../packages/server/src/store/store.ts';
import { payeeOf } from './batches.ts';

/** What the program is to do. */
export interface WriterOrder {
  /** A path. */
  readonly database: string;
  readonly bookId: number;
  /** The batches are 1 to this. */
  readonly batchCount: number;
  readonly rowCount: number;
  /** Run on the connection before; a control that has to lose something puts `PRAGMA synchronous = NORMAL` here. */
  readonly script?: string;
  /** Kill itself when a batch was refused, instead of going on with the next. */
  readonly diesOfRefusal?: boolean;
}

const order = JSON.parse(process.argv[2] ?? '') as WriterOrder;
const store = openOrEnd();

for (let batch = 1; batch <= order.batchCount; batch += 1) {
  const refusal = await refusalOf(batch);
  writeSync(1, refusal === null ? `ACK ${batch}\n` : `NO ${batch} ${refusal}\n`);
  if (refusal !== null && order.diesOfRefusal === true) process.kill(process.pid, 'SIGKILL');
}
await store.close();

function openOrEnd(): Store {
  try {
    const engine = openSqlite({ path: order.database, busyTimeoutMs: 30_000 });
    migrate(engine);
    if (order.script !== undefined) engine.execute(order.script);
    return createStore(engine);
  } catch (error) {
    console.error(String(error));
    process.exit(3);
  }
}

/** Null when the batch was stored, else the code of what was thrown. */
async function refusalOf(batch: number): Promise<string | null> {
  try {
    await store.importEntries(order.bookId, {
      entries: () => entriesOf(batch),
      defaultAccount: null,
      nowIso: '2026-01-01T00:00:00.000Z',
      dryRun: false,
    });
    return null;
  } catch (error) {
    const { code, name } = error as { code?: string; name: string };
    return code ?? name;
  }
}

function* entriesOf(batch: number) {
  for (let line = 1; line <= order.rowCount; line += 1) {
    yield {
      line,
      date: `2024-${String(1 + (line % 12)).padStart(2, '0')}-15`,
      amount: -10_000 * line,
      currency: null,
      payee: payeeOf(batch),
      notes: null,
      category: `Category ${batch % 10}`,
      account: line % 2 === 0 ? 'Cash' : 'Bank',
      externalId: null,
    };
  }
}
