import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import copyStreams from 'pg-copy-streams';
import type { BulkInsert } from '../engine.ts';

/** Rows that are formatted before the first of them are sent: the server inserts them meanwhile. */
const rowsAtOnce = 100;

/** Rows on their way into a table. */
export interface Copying {
  /** Resolves when all rows are sent, or when that has failed: the server inserts them while the caller does more. */
  readonly sent: Promise<void>;
  /** Resolves when the server has inserted all. Rejects with its error. */
  readonly done: Promise<void>;
}

/** Inserts many rows by COPY, which costs the server and the driver about a fifth less than INSERT. */
export function copyRows(client: ClientBase, { insertInto, columns, rows }: BulkInsert): Copying {
  // The default import, because a bundler does not see the named exports of CommonJS.
  const copying = copyStreams.from(`COPY ${insertInto} (${columns.join(', ')}) FROM STDIN`);
  const done = new Promise<void>((resolve, reject) => {
    // Both listeners stay: the stream can emit a second error after that of the statement.
    copying.on('error', reject).on('finish', resolve);
  });
  client.query(copying);
  // After an error the stream does not call back. The caller gets it from `done`.
  const sent = Promise.race([send(copying, rows), done]).catch(() => undefined);
  return { sent, done };
}

/** Sends the rows. The stream accepts none before the server is ready for them. */
async function send(copying: Writable, rows: BulkInsert['rows']): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const bytes = Buffer.from(
      rows
        .slice(at, at + rowsAtOnce)
        .map(copyLine)
        .join(''),
    );
    await new Promise((resolve) => copying.write(bytes, resolve));
  }
  copying.end();
  // The stream sends the end of the rows, which the server waits for, in the next turn.
  await nextTurn();
}

/** Formats a row in the text format of COPY. Source: PostgreSQL manual, COPY, file formats. */
function copyLine(values: readonly unknown[]): string {
  return `${values.map(copyValue).join('\t')}\n`;
}

const special = /[\\\n\r\t]/g;
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function copyValue(value: unknown): string {
  if (typeof value === 'string')
    return value.replace(special, (character) => escapes[character] ?? character);
  if (value === null) return '\\N';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`;
  throw new TypeError(`Cannot copy a value of type ${typeof value}`);
}
