import { NotUtf8 } from '../bytes/encoding.ts';
import { countOf } from '../second-pass.ts';
import { ProblemList, Refusal } from '../statement-error.ts';
import type {
  Entry,
  Statement,
  StatementOptions,
  StatementWarning,
  TableMapping,
} from '../statement.ts';
import { mappingOf } from './mapping.ts';
import { BalanceProof } from './meaning/proof.ts';
import { Examiner } from './meaning/examine.ts';
import type { Examined } from './meaning/examined.ts';
import { dateReader } from '../dates.ts';
import { entriesOf, entryRow, type Reading } from './meaning/entries.ts';
import type { MoneyRule } from './meaning/money.ts';
import { joinSplits } from './meaning/splits.ts';
import { rowKind } from './rows/cells.ts';
import type { Row } from './rows/rows.ts';
import { findLayout } from './table/layout.ts';
import type { Layout } from './table/table.ts';
import type { TableSource } from './table/source.ts';
import type { ReaderOptions } from '../years.ts';
import { mapOf, tableWarnings } from './warnings.ts';

/** A statement without its format and encoding. */
export type TableReading = Omit<Statement, 'format' | 'encoding' | 'mapping' | 'shape'> & {
  readonly mapping: Omit<TableMapping, 'encoding'>;
};

/**
 * Examines a whole table, and returns how to read it.
 * Errors: StatementError with every problem of the table, Refusal if reading cannot continue.
 */
export function readTable(source: TableSource, options: ReaderOptions): TableReading {
  const layout = findLayout(source, options.map ?? {});
  const problems = new ProblemList();
  const examined = examine(source, layout, options, problems);
  const skipsBadRows = options.skipBadRows === true;
  if (!skipsBadRows) problems.throwIfAny();
  const settled = settle(source, layout, examined, options);
  const reading = readingOf(source, layout, examined, settled.rule, options);
  const isSplit = layout.profile?.splits !== undefined;
  const entries = () => streamEntries(source, reading);
  return {
    entryCount: isSplit ? countOf(entries()) : reading.entryCount,
    accounts: [],
    leftOut: examined.leftOut,
    ...(examined.badCount > 0
      ? { badRows: { count: examined.badCount, problems: problems.inFileOrder() } }
      : {}),
    ...withWarnings([...tableWarnings(layout, examined, options), ...settled.warnings]),
    mapping: mappingOf(source, reading),
    entries,
  };
}

function withWarnings(warnings: readonly StatementWarning[]): Pick<Statement, 'warnings'> {
  if (warnings.length === 0) return {};
  const inFileOrder = warnings.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { warnings: inFileOrder.slice(0, 100) };
}

function examine(
  source: TableSource,
  layout: Layout,
  options: ReaderOptions,
  problems: ProblemList,
): Examined {
  const ambiguities = new ProblemList();
  const examiner = new Examiner(layout, options, problems, ambiguities);
  const rows = source.open(layout.form);
  try {
    for (const row of rows) if (row.line >= layout.firstLine) examiner.add(row);
  } catch (error) {
    if (!(error instanceof Refusal) || error instanceof NotUtf8) throw error;
    problems.addRefusal(error, rows.line);
    problems.throwIfAny();
  }
  const examined = examiner.finish();
  if (options.skipBadRows === true) ambiguities.throwIfAny();
  else problems.addAll(ambiguities);
  return examined;
}

interface Settled {
  readonly rule: MoneyRule;
  readonly warnings: readonly StatementWarning[];
}

/** Chooses the rule for money: by the balances if there are any. */
function settle(
  source: TableSource,
  layout: Layout,
  { money, decimal, dates, lastLine }: Examined,
  options: StatementOptions,
): Settled {
  const { rules, conflict } = money;
  const likely = rules[0]!;
  const isProvable = layout.columns.balance !== undefined && layout.profile?.splits === undefined;
  if (!isProvable) {
    if (conflict !== null) return refuse(conflict);
    return { rule: likely, warnings: signWarnings(layout, money, options) };
  }
  const proof = new BalanceProof(layout, decimal, rules);
  const readDate = dateReader(dates.order);
  for (const row of entryRows(source, layout, lastLine)) {
    const read = entryRow(row, layout, readDate);
    if (read !== null && !read.isPending) proof.add(row, read.date ?? '');
  }
  const isFree = options.negate !== true && options.map?.direction === undefined;
  const proven = conflict !== null || isFree ? proof.decide(conflict !== null) : null;
  if (proven === null && conflict !== null) return refuse(conflict);
  const rule = proven?.rule ?? likely;
  const isProven = proven !== null || proof.proves(rule);
  return {
    rule,
    warnings: [
      ...turned(proven?.isTurned === true && rule.isNegated),
      ...proof.warnings(rule),
      ...(isProven ? [] : signWarnings(layout, money, options)),
    ],
  };
}

/** What nothing in the file proves: that no amount is money out, or that a payment to a card is money in. */
function signWarnings(
  layout: Layout,
  { isUnsigned, isDoubtful, isTurnedByTexts }: Examined['money'],
  options: StatementOptions,
): StatementWarning[] {
  if (options.negate === true) return [];
  if (isTurnedByTexts) return [{ line: null, text: TURNED_BY_TEXTS }];
  if (options.map?.amount !== undefined) return [];
  if (isDoubtful) return [{ line: null, text: DOUBTFUL }];
  if (!isUnsigned) return [];
  if (layout.isInferred) throw new Refusal(`${UNSIGNED}, else --map ${mapOf(layout)}`, 1);
  return [{ line: null, text: UNSIGNED }];
}

const TURNED_BY_TEXTS =
  'The texts show that money out is positive, as on a card: for the signs of the file use --map amount=COLUMN';
const DOUBTFUL =
  'nearly all amounts are positive: if they are money out, as on many cards, use --negate';
const UNSIGNED =
  'no amount is negative, and nothing shows which are money out: if all are, use --negate';

function turned(isTurned: boolean): StatementWarning[] {
  return isTurned ? [{ line: null, text: 'The balances show that money out is positive' }] : [];
}

function refuse(problem: NonNullable<Examined['money']['conflict']>): never {
  const problems = new ProblemList();
  problems.addAmbiguity(problem);
  problems.throwIfAny();
  throw new Refusal(problem.reason);
}

function* entryRows(source: TableSource, layout: Layout, lastLine: number): Generator<Row> {
  for (const row of source.open(layout.form)) {
    const isEntry = row.line >= layout.firstLine && row.line <= lastLine;
    if (isEntry && rowKind(row.cells, layout) === 'entry') yield row;
  }
}

function readingOf(
  source: TableSource,
  layout: Layout,
  examined: Examined,
  money: MoneyRule,
  options: StatementOptions,
): Reading {
  const { dates, decimal, lastLine, entryCount, currencies } = examined;
  const currency = options.currency?.toLowerCase() ?? null;
  return {
    ...{ layout, dateOrder: dates.order, decimal, money, lastLine, entryCount, currency },
    isNegated: options.negate === true && !money.isNegated,
    otherCurrency: currencies.fallback(currency),
    pendingDate: examined.undatedCount > 0 ? latestDate(source, layout, examined) : null,
    skipsBadRows: options.skipBadRows === true,
    isPlain: examined.leftOut.length === 0 && !examined.hasPending,
  };
}

/** The latest date of the table: pending rows without a date are not older. */
function latestDate(
  source: TableSource,
  layout: Layout,
  { dates, lastLine }: Examined,
): string | null {
  const readDate = dateReader(dates.order);
  let latest: string | null = null;
  for (const row of entryRows(source, layout, lastLine)) {
    const date = entryRow(row, layout, readDate)?.date ?? null;
    if (date !== null && (latest === null || date > latest)) latest = date;
  }
  return latest;
}

function* streamEntries(source: TableSource, reading: Reading): Generator<Entry> {
  const rows = source.open(reading.layout.form);
  try {
    yield* allEntries(rows, reading);
  } catch (error) {
    throw error instanceof Refusal ? error.at(rows.line) : error;
  }
}

function allEntries(rows: Iterable<Row>, reading: Reading): Iterable<Entry> {
  const splits = reading.layout.profile?.splits;
  if (splits === undefined) return entriesOf(rows, reading, (entry) => entry);
  const withCells = entriesOf(rows, reading, (entry, cells) => ({ entry, cells }));
  return joinSplits(withCells, reading.layout, splits);
}
