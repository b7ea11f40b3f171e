import { parseAmount } from '../../statement/amounts.ts';
import type { Entry, EntryPart } from '../../statement/statement.ts';
import { trimmedCell } from '../table/cells.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Layout } from '../table/table.ts';
import { folded } from '../../words/fold.ts';
import type { RowEntry } from './entries.ts';
import { fireflyEntries } from './firefly.ts';
import { wiseEntries } from './wise.ts';

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
  const isParent = first.place.part === 0;
  const { payee } = first.entry;
  const parts: EntryPart[] = members.map(({ entry, place }) => ({
    amount: entry.amount,
    payee: entry.payee === payee ? null : entry.payee,
    notes: place.notes,
    category: entry.category,
  }));
  const notes = isParent ? first.place.notes : null;
  return { ...first.entry, amount, notes, category: null, parts };
}
