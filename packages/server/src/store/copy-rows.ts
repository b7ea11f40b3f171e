import { Query } from 'pg';
import type { ClientBase, Connection } from 'pg';
import type { BulkInsert } from './engine.ts';

/** What of the driver is not in its types: how a statement is told that the server waits for its rows. */
interface CopyQuery {
  handleCopyInResponse(connection: CopyConnection): void;
}

interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * Sends many rows by COPY, which neither names a column twice nor is planned by the row: it costs the server and the
 * driver some fifth less than any INSERT.
 */
export function copyRows(
  client: ClientBase,
  { insertInto, columns, rows }: BulkInsert,
): Promise<void> {
  const bytes = Buffer.from(rows.map(copyLine).join(''));
  return new Promise<void>((resolve, reject) => {
    const text = `COPY ${insertInto} (${columns.join(', ')}) FROM STDIN`;
    const query = new Query(text, (error?: Error | null) => {
      if (error) reject(error);
      else resolve();
    });
    (query as unknown as CopyQuery).handleCopyInResponse = (connection) => {
      connection.sendCopyFromChunk(bytes);
      connection.endCopyFrom();
    };
    client.query(query);
  });
}

/** A row in the text format of COPY. Source: PostgreSQL manual, COPY, file formats. */
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
  throw new TypeError(`Cannot copy a value of the type ${typeof value}`);
}
