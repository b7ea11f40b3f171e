import { nameKey } from '@coffer/core/text';
import { Failure } from '../terminal/failure.ts';
import { listed, quote } from '../terminal/format.ts';

/** A record that the command line names by its id or by one of its names. Messages show the first name. */
export interface Choice {
  readonly id: number;
  readonly names: readonly (string | null)[];
}

/**
 * Returns the record with the id `wanted`, else the only one with that name in any letter case.
 *
 * Throws a {@link Failure} that lists the candidates if there is no such record or several.
 */
export function choose<T extends Choice>(
  records: readonly T[],
  wanted: string,
  owner: string,
  [noun, plural]: readonly [singular: string, plural: string],
): T {
  const byId = records.find(({ id }) => String(id) === wanted.trim());
  if (byId !== undefined) return byId;
  const named = records.filter(({ names }) =>
    names.some((name) => name !== null && nameKey(name) === nameKey(wanted)),
  );
  if (named.length === 1) return named[0]!;
  if (records.length === 0) throw new Failure(`${owner} has no ${plural}`);
  const problem =
    named.length === 0
      ? `no ${noun} ${quote(wanted)}. The ${plural} are`
      : `${named.length} ${plural} named ${quote(wanted)}. Choose one by its id`;
  const candidates = named.length === 0 ? records : named;
  throw new Failure(`${owner} has ${problem}: ${listed(candidates.map(label))}`);
}

/** Returns a record for a message, such as `3 "Checking"`. */
function label({ id, names }: Choice): string {
  const [name] = names.filter((each) => each !== null);
  return name === undefined ? String(id) : `${id} ${quote(name)}`;
}
