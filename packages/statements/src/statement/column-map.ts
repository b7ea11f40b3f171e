/** The parts of an entry that a column can hold. */
export const COLUMN_KEYS = [
  'date',
  'amount',
  'debit',
  'credit',
  'direction',
  'payee',
  'notes',
  'category',
  'account',
  'currency',
  'external_id',
  'tags',
  'status',
  'fee',
  'balance',
] as const;

export type ColumnKey = (typeof COLUMN_KEYS)[number];

/** The column of each part of an entry: a header's name, a column's number counted from 1, or empty for none. */
export type ColumnMap = Partial<Record<ColumnKey, string>>;

/** The parts that an entry needs. */
const NEEDED: readonly ColumnKey[] = ['date', 'amount', 'debit', 'credit'];

// One `key=value` with its comma; the value bare, or in quotes with inner quotes doubled.
const PART = /([^=,"]*)=(?:\s*"((?:[^"]|"")*)"\s*|([^",]*))(?:,|$)/y;

/**
 * Parses a column map such as `date=Datum,amount=4,payee="Name, first"`.
 * A name that contains a comma or a quote is written in quotes, with inner quotes doubled. Spaces around a part are
 * ignored. Nothing after `=` means no column: `account=`.
 * Errors: RangeError that names the invalid part and the known keys.
 */
export function parseColumnMap(text: string): ColumnMap {
  const map: ColumnMap = {};
  for (let at = 0; at < text.length || at === 0;) {
    PART.lastIndex = at;
    const part = PART.exec(text);
    if (part === null) throw mapError(text.slice(at), 'does not have the form key=column');
    addPart(map, part);
    at = PART.lastIndex;
    if (at === text.length && part[0].endsWith(',')) throw mapError('', 'is empty');
  }
  return map;
}

function addPart(map: ColumnMap, part: RegExpExecArray): void {
  const shown = part[0].replace(/,$/, '').trim();
  const key = COLUMN_KEYS.find((known) => known === part[1]?.trim().toLowerCase());
  const column = part[2] === undefined ? (part[3] ?? '').trim() : part[2].replaceAll('""', '"');
  if (key === undefined) throw mapError(shown, 'has an unknown key');
  const isOff = part[2] === undefined && column === '' && !NEEDED.includes(key);
  if (column.trim() === '' && !isOff) throw mapError(shown, 'has no column');
  if (map[key] !== undefined) throw mapError(shown, `repeats the key "${key}"`);
  map[key] = column;
}

function mapError(part: string, reason: string): RangeError {
  return new RangeError(
    `Column map: part "${part}" ${reason}. The keys are ${COLUMN_KEYS.join(', ')}`,
  );
}
