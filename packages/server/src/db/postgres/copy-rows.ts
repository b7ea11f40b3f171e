import type { ClientBase } from 'pg';
import copyStreams from 'pg-copy-streams';
import type { BulkInsert } from '../engine.ts';

/**
 * Inserts many rows by COPY, which costs the server and the driver about a fifth less than INSERT.
 */
export function copyRows(
  client: ClientBase,
  { insertInto, columns, rows }: BulkInsert,
): Promise<void> {
  const bytes = Buffer.from(rows.map(copyLine).join(''));
  return new Promise<void>((resolve, reject) => {
    // The default import, because a bundler does not see the named exports of CommonJS.
    const copying = copyStreams.from(`COPY ${insertInto} (${columns.join(', ')}) FROM STDIN`);
    // Both listeners stay: the stream can emit a second error after that of the statement.
    copying.on('error', reject).on('finish', resolve);
    client.query(copying).end(bytes);
  });
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
