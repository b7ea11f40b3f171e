import type { TableMapping } from '@coffer/statements';
import type { ImportMapping } from '../operations/actions.ts';

/** Returns how a table was read, as in a response: every column with what it became. */
export function mappingToWire(mapping: TableMapping | undefined): ImportMapping | null {
  if (mapping === undefined) return null;
  const { columns, seen, dateOrder, decimal, delimiter, encoding, isNegated } = mapping;
  return {
    columns: seen.map(({ number, name, sample }) => {
      const keys = columns.filter((each) => each.number === number).map(({ key }) => key);
      return { number, name, sample, keys };
    }),
    ...{ date_format: dateOrder, decimal, delimiter, encoding, negate: isNegated },
  };
}
