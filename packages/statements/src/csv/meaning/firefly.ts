import { negated, parseAmount } from '../../statement/amounts.ts';
import { parseCurrency } from '../../statement/currencies.ts';
import type { Entry, EntryPart } from '../../statement/statement.ts';
import { trimmedCell } from '../table/cells.ts';
import type { Layout } from '../table/table.ts';
import { folded } from '../../words/fold.ts';
import type { RowEntry } from './entries.ts';

/** A journal of Firefly III: money from a source to a destination. */
interface Journal extends RowEntry {
  readonly group: string;
  readonly type: string;
  readonly source: string;
  readonly destination: string;
  readonly isToAsset: boolean;
  /** The amount of the destination in another currency. */
  readonly foreign: { amount: number; currency: string } | null;
}

/**
 * Entries of the journals of Firefly III: a withdrawal belongs to its source, a deposit to its destination, a transfer
 * is one entry for each of the two accounts. Journals of one group become the parts of a split.
 */
export function* fireflyEntries(rows: Iterable<RowEntry>, layout: Layout): Generator<Entry> {
  const read = journalReader(layout);
  let group: Journal[] = [];
  for (const row of rows) {
    const journal = read(row);
    if (group[0] !== undefined && !isSameGroup(group[0], journal)) {
      yield* entriesOfGroup(group);
      group = [];
    }
    group.push(journal);
  }
  yield* entriesOfGroup(group);
}

function journalReader({ names }: Layout): (row: RowEntry) => Journal {
  const foldedNames = names.map(folded);
  const column = (name: string) => foldedNames.indexOf(name);
  const [group, type] = [column('group id'), column('type')];
  const [source, destination] = [column('source name'), column('destination name')];
  const [toType, amount, code] = [
    'destination type',
    'foreign amount',
    'foreign currency code',
  ].map(column);
  return (row) => {
    const cell = (index: number | undefined) => trimmedCell(row.cells, index);
    const foreign = parseAmount(cell(amount), 'point');
    const currency = parseCurrency(cell(code));
    return {
      ...row,
      group: cell(group),
      type: folded(cell(type)),
      source: cell(source),
      destination: cell(destination),
      isToAsset: /asset|default|cash|loan|debt|mortgage/i.test(cell(toType)),
      foreign: foreign === null || !currency ? null : { amount: Math.abs(foreign), currency },
    };
  };
}

function isSameGroup(a: Journal, b: Journal): boolean {
  return a.group !== '' && a.group === b.group && a.type === b.type;
}

function* entriesOfGroup(group: readonly Journal[]): Generator<Entry> {
  const first = group[0];
  if (first === undefined) return;
  if (first.type === 'transfer') for (const journal of group) yield* transferEntries(journal);
  else yield* joined(group);
}

function isDeposit({ type, isToAsset }: Journal): boolean {
  return type === 'deposit' || (type !== 'withdrawal' && isToAsset);
}

function entryOf(journal: Journal): Entry {
  const { entry, source, destination } = journal;
  const size = Math.abs(entry.amount);
  const notes = entry.notes ?? (entry.payee === '' ? null : entry.payee);
  return isDeposit(journal)
    ? { ...entry, amount: size, account: destination || null, payee: source, notes }
    : { ...entry, amount: negated(size), account: source || null, payee: destination, notes };
}

function* transferEntries({ entry, source, destination, foreign }: Journal): Generator<Entry> {
  const size = Math.abs(entry.amount);
  const notes = entry.notes ?? (entry.payee === '' ? null : entry.payee);
  const both = { ...entry, notes };
  yield { ...both, amount: negated(size), account: source || null, payee: destination };
  const into = foreign ?? { amount: size, currency: entry.currency };
  yield { ...both, ...into, account: destination || null, payee: source };
}

/** Parts of one account and currency make one entry. */
function* joined(group: readonly Journal[]): Generator<Entry> {
  const entries = group.map(entryOf);
  const [first] = entries;
  const isSplit = entries.every(
    ({ account, currency }) => account === first!.account && currency === first!.currency,
  );
  if (entries.length < 2 || !isSplit) {
    yield* entries;
    return;
  }
  const amount = entries.reduce((so, entry) => so + entry.amount, 0);
  const parts: EntryPart[] = entries.map((entry) => ({
    amount: entry.amount,
    payee: entry.payee === first!.payee ? null : entry.payee,
    notes: entry.notes,
    category: entry.category,
  }));
  yield { ...first!, amount, notes: null, category: null, parts };
}
