import { ProblemList, Refusal, countOf, NotUtf8 } from '../statement/statement-error.ts';
import type {
  StatementProblem,
  Entry,
  StatementContent,
  StatementOptions,
  StatementWarning,
  TableMapping,
  ColumnMap,
  Statement,
} from '../statement/statement.ts';
import { mappingOf, mapOf, tableWarnings } from './report.ts';
import { BalanceSignSurvey, type BalanceSigns, BalanceProof } from './meaning/balances.ts';
import { StatedBalanceSurvey } from './meaning/stated-balances.ts';
import { surveyParties } from './meaning/party-survey.ts';
import { Examiner, type Examined } from './meaning/examine.ts';
import { dateReader, type ReadDate, type ReaderOptions } from '../statement/dates.ts';
import { entriesOf, entryRow } from './meaning/entries.ts';
import type { EntryRow, Reading, MoneyRule } from './meaning/entries.ts';
import { joinSplits } from './meaning/splits.ts';
import { rowKind, trimmedCell, fittedCells, lineKind, dateCell } from './table/cells.ts';
import { type Row, type RowSource, type TableSource, delimitedText } from './table/rows.ts';
import { findLayout, headsOf, outlineIn, outlineOf, type TableOutline } from './table/layout.ts';
import { columnName, type Head, type Layout } from './table/header.ts';
import { inItsEncoding, type FileText, type Content } from '../bytes/content.ts';
import type { Scratch } from '../statement/kept.ts';
import { likelyEncoding } from './table/header-names.ts';

/**
 * Reads delimited text and examines all of it.
 * Errors: StatementError with every problem of the table, Refusal if reading cannot continue.
 * Source: RFC 4180, and files of banks that deviate from it.
 */
export function readCsv(content: Content, options: ReaderOptions): Statement {
  return readTableFile('csv', content, options, delimitedText);
}

/** What the table of delimited text looks like, in the encoding that its first rows show; null if there is none. */
export function outlineCsv(content: Content): TableOutline | null {
  return outlineIn(content, (text) => delimitedText(text, undefined));
}

/** Reads a file with a table, in the encoding that its rows show. */
export function readTableFile(
  format: 'csv' | 'html',
  content: Content,
  options: ReaderOptions,
  tableOf: (text: FileText, scratch: Scratch | undefined) => TableSource,
): Statement {
  const { encoding: given, scratch } = options;
  // Options do not change the shape of a table.
  let outline =
    given === undefined ? undefined : outlineIn(content, (text) => tableOf(text, scratch));
  return inItsEncoding(content, given, likelyEncoding, (text) => {
    try {
      const source = tableOf(text, scratch);
      const heads = headsOf(source);
      outline ??= outlineOf(heads);
      const table = readTable(source, heads, options);
      const { encoding } = text;
      const mapping = { ...table.mapping, encoding };
      const shape = outline?.shape;
      return { format, encoding, ...table, mapping, ...(shape !== undefined && { shape }) };
    } catch (error) {
      const isOther = !(error instanceof Refusal) || error instanceof NotUtf8;
      if (format !== 'csv' || !text.isFallback || isOther) throw error;
      // The header may exist, but in another encoding.
      const reason = `${error.message} (not valid utf-8, so read as ${text.encoding})`;
      throw new Refusal(reason, error.line, error.column, error.needsColumns);
    }
  });
}

/** What a table has, in an encoding that it does not know. */
type TableReading = Omit<StatementContent, 'mapping' | 'shape'> & {
  readonly mapping: Omit<TableMapping, 'encoding'>;
};

/**
 * Examines a whole table, and returns how to read it. `heads`: its first rows in each form.
 * Errors: StatementError with every problem of the table, Refusal if reading cannot continue.
 */
function readTable(
  source: TableSource,
  heads: readonly Head[],
  options: ReaderOptions,
): TableReading {
  const first = findLayout(heads, options.map ?? {});
  const rows = source.rows(first.form);
  const { layout, number } = finalLayout(rows, heads, first, options.map ?? {});
  const problems = new ProblemList();
  const examined = examine(rows, layout, options, problems);
  const skipsBadRows = options.skipBadRows === true;
  if (!skipsBadRows) problems.throwIfAny();
  const table = { rows, layout, examined, options };
  const decided = decideMoney(table);
  for (const problem of decided.unknown) problems.addAmbiguity(problem);
  if (!skipsBadRows) problems.throwIfAny();
  const account = number === null ? null : `Account ${number.slice(-4)}`;
  const reading = { ...readingOf(table, decided), account };
  const entries = () => allEntries(rows, reading);
  const above = heads.find(({ form }) => form === layout.form)!.rows;
  const { stated, warnings } = statedBalances(table, reading, above);
  // A row whose sign nothing shows may be bad for another reason, too.
  const isCounted = layout.profile?.splits !== undefined || decided.signs !== null;
  const entryCount = isCounted ? countOf(entries()) : examined.entryCount;
  const withoutSign = decided.signs === null ? 0 : examined.entryCount - entryCount;
  const badCount = examined.badCount + withoutSign;
  return {
    entryCount,
    accounts:
      number === null ? [] : [{ ...UNKNOWN_ACCOUNT, name: account!, id: number, entryCount }],
    leftOut: examined.leftOut,
    ...(badCount > 0 ? { badRows: { count: badCount, problems: problems.inFileOrder() } } : {}),
    ...(stated.length > 0 && { stated }),
    ...withWarnings([
      ...tableWarnings(layout, examined, options),
      ...decided.warnings,
      ...warnings,
    ]),
    mapping: mappingOf(rows, reading),
    ...(layout.profile?.isOwn === true && { isOwn: true }),
    entries,
  };
}

/** The balances that the rows of a table, or lines around them, state. `first`: the first rows of the file. */
function statedBalances(
  { rows, layout, examined }: ExaminedTable,
  reading: Reading,
  first: readonly Row[],
): ReturnType<StatedBalanceSurvey['finish']> {
  const { dates, decimal, lastLine, leftOut } = examined;
  const { firstLine, isInferred, names } = layout;
  const hasColumn = layout.columns.balance !== undefined;
  const end = firstLine - Number(!isInferred && names.some((name) => name !== ''));
  const above = first.filter(({ line }) => line < end);
  const hasLines = leftOut.some(({ what }) => what === 'balance line' || what === 'line of text');
  const isUnclear = layout.profile?.splits !== undefined || layout.accountSides !== null;
  if (isUnclear || (!hasColumn && above.length === 0 && !hasLines))
    return { stated: [], warnings: [] };
  const isNegated = reading.isNegated || reading.money.isNegated;
  const readDate = dateReader(dates.order);
  const survey = new StatedBalanceSurvey({ layout, decimal, readDate, isNegated });
  above.forEach((row, at) => survey.addLine(row, above[at + 1]));
  if (hasLines)
    for (const row of rows)
      if (row.line > lastLine || isBalanceLine(row, layout, readDate))
        survey.addLine(row, undefined);
  if (!hasColumn && !survey.hasLines) return survey.finish();
  for (const { entry, cells } of entriesOf(rows, reading, (entry, cells) => ({ entry, cells }))) {
    survey.add(entry, cells);
    if (!survey.isOpen) break;
  }
  return survey.finish();
}

function isBalanceLine({ cells, line }: Row, layout: Layout, readDate: ReadDate): boolean {
  if (line < layout.firstLine) return false;
  return lineKind(cells, layout, readDate(dateCell(cells, layout)) !== null) === 'balance line';
}

const UNKNOWN_ACCOUNT = { bankId: null, type: 'account', currency: null, balances: [] };

/**
 * The columns of a table, after all of its rows have been asked whose accounts and names they are. The account above a
 * table counts where the table has the accounts of others.
 */
function finalLayout(
  rows: Iterable<Row>,
  heads: readonly Head[],
  first: Layout,
  map: ColumnMap,
): { readonly layout: Layout; readonly number: string | null } {
  if (areClear(first)) return { layout: first, number: null };
  const parties = surveyParties(rows, first);
  const own = heads.filter(({ form }) => form === first.form);
  const layout = findLayout(own, map, parties);
  const isOthers = first.unclear.accounts.length > 0 && layout.columns.account === undefined;
  return { layout, number: isOthers ? layout.accountAbove : null };
}

/** Whether the names of the columns say whose accounts and names they have. */
function areClear({ unclear: { accounts, holders }, sides, accountSides }: Layout): boolean {
  const isClear = accounts.length === 0 && holders.length === 0;
  return isClear && sides === null && accountSides === null;
}

function withWarnings(warnings: readonly StatementWarning[]): Pick<StatementContent, 'warnings'> {
  if (warnings.length === 0) return {};
  const inFileOrder = warnings.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { warnings: inFileOrder.slice(0, 100) };
}

function examine(
  rows: RowSource,
  layout: Layout,
  options: ReaderOptions,
  problems: ProblemList,
): Examined {
  const ambiguities = new ProblemList();
  const examiner = new Examiner(layout, options, problems, ambiguities);
  try {
    for (const row of rows) if (row.line >= layout.firstLine) examiner.add(row);
  } catch (error) {
    problems.addRefusal(error, rows.line);
    problems.throwIfAny();
  }
  const examined = examiner.finish();
  if (options.skipBadRows === true) ambiguities.throwIfAny();
  else problems.addAll(ambiguities);
  return examined;
}

/** A table whose rows were examined. */
interface ExaminedTable {
  readonly rows: Iterable<Row>;
  readonly layout: Layout;
  readonly examined: Examined;
  readonly options: StatementOptions;
}

interface MoneyDecision {
  readonly rule: MoneyRule;
  readonly warnings: readonly StatementWarning[];
  /** What the balances show of amounts without signs. */
  readonly signs: BalanceSigns | null;
  /** Rows of which nothing shows the sign. */
  readonly unknown: readonly StatementProblem[];
}

/** Chooses the rule for money: by the balances if there are any. */
function decideMoney(table: ExaminedTable): MoneyDecision {
  const { layout, options } = table;
  const { money, decimal } = table.examined;
  const { rules, conflict } = money;
  const likely = rules[0]!;
  const isProvable = layout.columns.balance !== undefined && layout.profile?.splits === undefined;
  if (!isProvable) {
    if (conflict !== null) return refuse(conflict);
    return { ...PLAIN, rule: likely, warnings: signWarnings(table) };
  }
  const proof = new BalanceProof(layout, decimal, rules);
  for (const { row, date, isPending } of entryRows(table))
    if (!isPending) proof.add(row, date ?? '');
  const isFree = options.negate !== true && options.map?.direction === undefined;
  const proven = conflict !== null || isFree ? proof.decide(conflict !== null) : null;
  if (isFree && proven === null) refuseWordsOfBalance(layout, likely, proof);
  if (money.textQuestion !== null && proven?.rule.isNegated === false) refuse(money.textQuestion);
  const rule = proven?.rule ?? likely;
  const isProven = proven !== null || proof.proves(rule);
  const isOpen = money.isUnsigned && isFree;
  const signs = isOpen ? signsByBalance(table) : null;
  const { amount, balance } = options.map ?? {};
  const isLikely = proof.proves(likely) || (amount !== undefined && balance === undefined);
  const isMixed = signs !== null && signs.outCount > 0;
  if (isMixed && (signs.unknownCount === 0 || !isLikely)) return byBalance(layout, likely, signs);
  if (isOpen && amount === undefined && !proof.mostlyProves(likely))
    throw new Refusal(unsignedReason(layout), 1);
  if (proven === null && conflict !== null) return refuse(conflict);
  return {
    ...PLAIN,
    rule,
    warnings: [
      ...turned(proven?.isTurned === true && rule.isNegated),
      ...(isOpen && isLikely ? assumedIn(signs) : []),
      ...proof.warnings(rule),
      ...(isProven ? [] : signWarnings(table)),
    ],
  };
}

const PLAIN = { signs: null, unknown: [] } as const;

/** A column of directions after the balance is that of the balance, unless the balances follow by it. */
function refuseWordsOfBalance(layout: Layout, rule: MoneyRule, proof: BalanceProof): void {
  const { balance } = layout.columns;
  const isAfter = rule.wordColumn !== undefined && rule.wordColumn === balance! + 1;
  if (rule.words !== 'decide' || !isAfter || proof.mostlyProves(rule)) return;
  const name = columnName(layout, rule.wordColumn);
  const reason = `The words in column "${name}" may be of the balance: if they are of the amounts use --map direction=${name}`;
  throw new Refusal(reason, 1);
}

/** Compares the balances of amounts that have no signs. */
function signsByBalance({ rows, layout, examined }: ExaminedTable): BalanceSigns | null {
  const survey = new BalanceSignSurvey(layout, examined.decimal);
  const readDate = dateReader(examined.dates.order);
  for (const row of rows) {
    if (row.line < layout.firstLine || rowKind(row.cells, layout) !== 'entry') continue;
    const cells = [...(fittedCells(row.cells, layout) ?? row.cells)];
    const read = entryRow({ ...row, cells }, layout, readDate);
    if (read !== null) survey.add(read.row, read.date ?? '');
    else if (lineKind(cells, layout, false) === 'balance line') survey.add({ ...row, cells }, null);
  }
  return survey.finish();
}

function byBalance(layout: Layout, likely: MoneyRule, signs: BalanceSigns): MoneyDecision {
  const column = columnName(layout, layout.columns.amount!);
  const balance = columnName(layout, layout.columns.balance!);
  const reason = `Nothing shows whether this is money in or out: column "${balance}" does not show it (if all rows are money out use --negate, else --skip-bad-rows)`;
  const unknown = signs.unknown.map(({ cells, line }) => {
    const value = trimmedCell(cells, layout.columns.amount);
    return { line, column, value, reason };
  });
  const text = 'The balances show which amounts are money out';
  return { rule: likely, warnings: [{ line: null, text }], signs, unknown };
}

/** A row at the end of a list of money in, whose own sign no balance shows. */
function assumedIn(signs: BalanceSigns | null): StatementWarning[] {
  const text =
    'Nothing shows whether this is money in or out: it is read as money in, like the others';
  return (signs?.unknown ?? []).map(({ line }) => ({ line, text }));
}

/** What nothing in the file proves: that no amount is money out, or that a payment to a card is money in. */
function signWarnings({ layout, examined, options }: ExaminedTable): StatementWarning[] {
  const { isUnsigned, isMostlyPositive, isTurnedByTexts } = examined.money;
  if (options.negate === true || layout.profile?.splits === 'wise') return [];
  if (isTurnedByTexts) return [{ line: null, text: TURNED_BY_TEXTS }];
  if (options.map?.amount !== undefined) return [];
  if (isMostlyPositive) return [{ line: null, text: MOSTLY_POSITIVE }];
  if (!isUnsigned) return [];
  if (layout.isInferred) throw new Refusal(unsignedReason(layout), 1);
  return [{ line: null, text: UNSIGNED }];
}

function unsignedReason(layout: Layout): string {
  return `${UNSIGNED}, else --map ${mapOf(layout)}`;
}

const TURNED_BY_TEXTS =
  'The texts show that money out is positive, as on a card: for the signs of the file use --map amount=COLUMN';
const MOSTLY_POSITIVE =
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

/** The rows of an examined table that are entries. */
function* entryRows({ rows, layout, examined }: ExaminedTable): Generator<EntryRow> {
  const readDate = dateReader(examined.dates.order);
  for (const row of rows) {
    if (row.line < layout.firstLine || row.line > examined.lastLine) continue;
    const read = rowKind(row.cells, layout) === 'entry' ? entryRow(row, layout, readDate) : null;
    if (read !== null) yield read;
  }
}

function readingOf(
  table: ExaminedTable,
  { rule: money, signs }: MoneyDecision,
): Omit<Reading, 'account'> {
  const { layout, examined, options } = table;
  const { dates, decimal, lastLine, currencies } = examined;
  const currency = options.currency?.toLowerCase() ?? null;
  return {
    layout,
    dateOrder: dates.order,
    decimal,
    money,
    lastLine,
    currency,
    signs,
    isNegated: options.negate === true && !money.isNegated,
    otherCurrency: currencies.fallback(currency),
    pendingDate: examined.undatedCount > 0 ? latestDate(table) : null,
    isPlain: examined.leftOut.length === 0 && !examined.hasPending,
  };
}

/** The latest date of the table: pending rows without a date are not older. */
function latestDate(table: ExaminedTable): string | null {
  let latest: string | null = null;
  for (const { date } of entryRows(table))
    if (date !== null && (latest === null || date > latest)) latest = date;
  return latest;
}

function allEntries(rows: Iterable<Row>, reading: Reading): Iterable<Entry> {
  const splits = reading.layout.profile?.splits;
  if (splits === undefined) return entriesOf(rows, reading, (entry) => entry);
  const withCells = entriesOf(rows, reading, (entry, cells) => ({ entry, cells }));
  return joinSplits(withCells, reading.layout, splits);
}
