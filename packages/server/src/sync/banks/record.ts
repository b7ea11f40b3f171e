import { recordKind } from '../../book/record.ts';
import type { Row } from '../../db/table.ts';
import { connections } from '../../db/tables/tables.ts';

export const connectionRecord = recordKind(connections, {
  toWire,
  shows: 'id provider status name created_by_name created_at updated_at last_read problems',
});

function toWire(row: Row<typeof connections>): object {
  const { id, provider, status, name, created_by_name, created_at, updated_at, last_read } = row;
  return {
    id,
    provider,
    status,
    name,
    created_by_name,
    created_at,
    updated_at,
    last_read,
    problems: row.problems === null ? [] : row.problems.split('\n'),
  };
}
