import { recordKind } from '../../book/record.ts';
import type { Row } from '../../db/table.ts';
import { connections } from '../../db/tables/tables.ts';
import type { BankProvider } from './rules.ts';
import type { Connection } from './schema.ts';

/** Without its accounts. */
export const connectionRecord = recordKind(connections, {
  toWire: connectionToWire,
  shows: 'id provider status name created_by_name created_at updated_at last_read problems',
});

/** Returns a connection as in the history, without its accounts. */
export function connectionToWire(row: Row<typeof connections>): Omit<Connection, 'accounts'> {
  const { id, provider, status, name, created_by_name, created_at, updated_at, last_read } = row;
  return {
    id,
    provider: provider as BankProvider,
    status,
    name,
    created_by_name,
    created_at,
    updated_at,
    last_read,
    problems: row.problems === null ? [] : row.problems.split('\n'),
  };
}
