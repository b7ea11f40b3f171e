import { parseAmount, negated } from '../../statement/amounts.ts';
import type { Entry, EntryPart } from '../../statement/statement.ts';
import { trimmedCell, payeeCell } from '../table/cells.ts';
import type { Profile } from '../table/header-names.ts';
import type { Layout } from '../table/header.ts';
import { folded } from '../../words/vocabulary.ts';
import type { RowEntry } from './entries.ts';
import { parseCurrency } from '../../statement/currencies.ts';
import { joinNotes } from '../../statement/texts.ts';

/** Joins the rows of a split to one entry, for applications that write a row for each part. */
export function joinSplits(
  rows: Iterable<RowEntry>,
  layout: Layout,
  kind: NonNullable<Profile['splits']>,
): Iterable<Entry> {
  if (kind === 'ynab') return joinGroups(rows, ynabPart, null);
  if (kind === 'actual') return joinGroups(rows, actualPart, splitAmountColumn(layout));
  return kind === 'wise' ? wiseEntries(rows, layout) : fireflyEntries(rows, layout);
}

/** The place of a row in a split: part 0 is a row for the whole, before its parts. */
interface Place {
  readonly part: number;
  readonly of: number;
  /** The notes without their mark. */
  readonly notes: string | null;
}

/** `Split (1/2) memo` or `(Split 1/2) memo`. */
function ynabPart({ notes }: Entry): Place | null {
  const mark = /^\(?split \(?(\d{1,3})\/(\d{1,3})\)\s*/i.exec(notes ?? '');
  if (mark === null) return null;
  const rest = notes!.slice(mark[0].length);
  return { part: Number(mark[1]), of: Number(mark[2]), notes: rest === '' ? null : rest };
}

/** `(SPLIT INTO 2) notes` before `(SPLIT 1 OF 2) notes`. */
function actualPart({ notes }: Entry): Place | null {
  const mark = /^\(split (?:into (\d{1,3})|(\d{1,3}) of (\d{1,3}))\)\s*/i.exec(notes ?? '');
  if (mark === null) return null;
  const rest = notes!.slice(mark[0].length);
  const of = Number(mark[1] ?? mark[3]);
  return { part: Number(mark[2] ?? 0), of, notes: rest === '' ? null : rest };
}

function splitAmountColumn({ names }: Layout): number {
  return names.findIndex((name) => folded(name) === 'split amount');
}

interface Member extends RowEntry {
  readonly place: Place;
}

/** Joins rows that follow each other as the parts of one split; an incomplete split stays rows of its own. */
function* joinGroups(
  rows: Iterable<RowEntry>,
  placeOf: (entry: Entry) => Place | null,
  totalColumn: number | null,
): Generator<Entry> {
  let group: Member[] = [];
  for (const row of rows) {
    const place = placeOf(row.entry);
    const isNext = place !== null && continues(group, row, place);
    if (!isNext) {
      yield* joined(group, totalColumn);
      group = [];
    }
    if (place === null) yield row.entry;
    else group.push({ ...row, place });
  }
  yield* joined(group, totalColumn);
}

function continues(group: readonly Member[], { entry }: RowEntry, place: Place): boolean {
  const last = group.at(-1);
  if (last === undefined) return false;
  const isSame = last.entry.date === entry.date && last.entry.account === entry.account;
  return isSame && last.place.of === place.of && last.place.part + 1 === place.part;
}

function* joined(group: readonly Member[], totalColumn: number | null): Generator<Entry> {
  const first = group[0];
  if (first === undefined) return;
  const members = first.place.part === 0 ? group.slice(1) : group;
  const sum = members.reduce((so, { entry }) => so + entry.amount, 0);
  const total = first.place.part === 0 ? totalOf(first, totalColumn) : sum;
  const isWhole = members.length === first.place.of && members.length > 1 && sum === total;
  const isFromStart = first.place.part <= 1;
  if (isWhole && isFromStart) yield splitEntry(first, members, sum);
  else if (members.length === 0) yield { ...first.entry, amount: total };
  else for (const { entry } of members) yield entry;
}

function totalOf({ entry, cells }: Member, column: number | null): number {
  const total = parseAmount(trimmedCell(cells, column ?? undefined), 'point');
  return entry.amount === 0 && total !== null ? total : entry.amount;
}

function splitEntry(first: Member, members: readonly Member[], amount: number): Entry {
  const entries = members.map(({ entry, place }) => ({ ...entry, notes: place.notes }));
  const notes = first.place.part === 0 ? first.place.notes : null;
  return { ...whole(first.entry, entries), amount, notes };
}

/** An entry with the others as its parts. */
function whole(first: Entry, entries: readonly Entry[]): Entry {
  const parts = entries.map(({ amount, payee, notes, category }): EntryPart => {
    return { amount, payee: payee === first.payee ? null : payee, notes, category };
  });
  return { ...first, notes: null, category: null, parts };
}

/** The cells of a row by the folded names of their columns. */
type CellOf = (name: string) => string;

/**
 * The entries of the transaction history of Wise: money out of the source with its fee, or into the target. A
 * conversion between own currencies is both.
 */
function* wiseEntries(rows: Iterable<RowEntry>, { names }: Layout): Generator<Entry> {
  const indexes = new Map(names.map((name, index) => [folded(name), index]));
  for (const { entry, cells } of rows) {
    const cellOf: CellOf = (name) => trimmedCell(cells, indexes.get(name));
    const nameOf = (side: string): string => payeeCell(cells, indexes.get(`${side} name`));
    const texts = [cellOf('reference'), cellOf('note')];
    const own = { ...entry, notes: joinNotes(texts) };
    const out = { ...own, ...moneyOut(cellOf), payee: nameOf('target') || entry.payee };
    const received = { ...own, ...moneyIn(cellOf), payee: nameOf('source') || entry.payee };
    const direction = folded(cellOf('direction'));
    if (direction === 'in') yield received;
    else if (direction !== 'neutral') yield out;
    else yield* converted(out, received);
  }
}

/** Both sides of a conversion; within one currency what it cost, if anything. */
function converted(out: Entry, received: Entry): Entry[] {
  const [from, to] = [out, received].map(({ currency }) => (currency ?? '').toUpperCase());
  if (from === to) {
    const amount = out.amount + received.amount;
    return amount === 0 ? [] : [{ ...out, amount, payee: 'Fee' }];
  }
  const payee = `Conversion ${from} to ${to}`;
  return [out, received].map((entry) => ({ ...entry, payee }));
}

type Money = Pick<Entry, 'amount' | 'currency'>;

function moneyOut(cellOf: CellOf): Money {
  const currency = cellOf('source currency');
  const feeCurrency = cellOf('source fee currency');
  const fee =
    feeCurrency === '' || feeCurrency === currency ? sizeOf(cellOf('source fee amount')) : 0;
  const amount = sizeOf(cellOf('source amount (after fees)')) + fee;
  return { amount: amount === 0 ? 0 : -amount, currency: parseCurrency(currency) ?? null };
}

function moneyIn(cellOf: CellOf): Money {
  const amount = sizeOf(cellOf('target amount (after fees)'));
  return { amount, currency: parseCurrency(cellOf('target currency')) ?? null };
}

/** Wise writes a decimal point, and no sign. */
function sizeOf(cell: string): number {
  return Math.abs(parseAmount(cell, 'point') ?? 0);
}

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
function* fireflyEntries(rows: Iterable<RowEntry>, layout: Layout): Generator<Entry> {
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
  else yield* joinedJournals(group);
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
function* joinedJournals(group: readonly Journal[]): Generator<Entry> {
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
  yield { ...whole(first!, entries), amount };
}
