import { earliestDate, latestDate } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import sql from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { Row, RowUpdate } from '../../db/table.ts';
import { transactions } from '../../db/tables/tables.ts';
import { bodyProblem } from '../../operations/problem.ts';
import { placeOf, readRule, rulesOf, problem } from './actions.ts';
import { evaluator, ruledColumns } from './rules.ts';
import type { Actions, Conditions, Evaluation, StoredRule } from './rules.ts';
import { maxListed, type RulePreview, type RulePreviewRequest, type RuleScope } from './schema.ts';

type TransactionRow = Row<typeof transactions>;
type Previewed = RulePreview['transactions'][number];

/** A transaction as it is, and after rules. */
interface Examined {
  readonly before: TransactionRow;
  readonly after: Evaluation;
}

const defaultExamined = 100;

/** Rows that are read and evaluated at a time. */
const rowsAtOnce = 2000;

/** Returns what rules would have changed of the latest transactions. Writes nothing. */
export function* previewRules(bookId: number, request: RulePreviewRequest): Steps<RulePreview> {
  const { limit = maxListed } = request;
  const shown: Previewed[] = [];
  let changed = 0;
  const examined = yield* examine(bookId, request, function* (some) {
    const different = some.filter((each) => each.after.parts !== null || isChanged(each));
    changed += different.length;
    shown.push(...different.slice(0, limit - shown.length).map(toPreviewed));
    yield* [];
  });
  return { examined, changed, transactions: shown };
}

/** Applies rules to the latest transactions, except that they are not split. Returns the numbers of transactions. */
export function* applyToExisting(
  change: Change,
  scope: RuleScope,
): Steps<{ examined: number; changed: number }> {
  let changed = 0;
  const examined = yield* examine(change.bookId, scope, function* (some) {
    const different = some.filter(isChanged);
    changed += different.length;
    const alike = Map.groupBy(different, (each) => JSON.stringify(newValues(each)));
    for (const [text, group] of alike) {
      const rows = group.map(({ before }) => before);
      const columns = JSON.parse(text) as RowUpdate<typeof transactions>;
      // Neither amounts nor accounts change, so balances stay.
      yield* change.updateAll(transactions, rows, columns);
    }
  });
  return { examined, changed };
}

/** Evaluates rules on the latest transactions, some at a time. Returns how many there are. */
function* examine(
  bookId: number,
  request: RulePreviewRequest,
  use: (some: readonly Examined[]) => Steps<void>,
): Steps<number> {
  const { rules, known } = yield* chosenRules(bookId, request);
  const evaluate = evaluator(rules, known);
  const { transactions: most = defaultExamined } = request;
  let last: TransactionRow | undefined;
  let examined = 0;
  while (examined < most) {
    const limit = Math.min(rowsAtOnce, most - examined);
    const rows = yield* latest(bookId, request, limit, last);
    yield* use(rows.map((before) => ({ before, after: evaluate(before) })));
    examined += rows.length;
    last = rows.at(-1);
    if (rows.length < limit) break;
  }
  return examined;
}

function* chosenRules(bookId: number, { rule, rule_id: id }: RulePreviewRequest) {
  const book = yield* rulesOf(bookId);
  if (rule !== undefined && id !== undefined)
    throw bodyProblem(problem('rule', rule, 'cannot be sent together with rule_id'));
  if (rule !== undefined) return { ...book, rules: [yield* unstored(bookId, rule, book)] };
  if (id === undefined) return { ...book, rules: book.rules.filter(({ enabled }) => enabled) };
  if (book.rules.every((each) => each.id !== id))
    throw bodyProblem(problem('rule_id', id, 'is not a rule of this book'));
  return { ...book, rules: [placeOf(book, id).rule] };
}

function* unstored(
  bookId: number,
  rule: NonNullable<RulePreviewRequest['rule']>,
  book: Parameters<typeof readRule>[1],
): Steps<StoredRule> {
  const read = yield* readRule(bookId, book, rule);
  return {
    id: null,
    conditions: JSON.parse(read.conditions) as Conditions,
    actions: JSON.parse(read.actions) as Actions,
    stop: false,
  };
}

/** The latest transactions before one, without those whose texts a split, a group or a recurring item decides. */
function* latest(
  bookId: number,
  { start_date: start, end_date: end }: RuleScope,
  limit: number,
  before?: TransactionRow,
): Steps<TransactionRow[]> {
  if (start !== undefined && end !== undefined && start > end)
    throw bodyProblem(problem('start_date', start, `must not be later than end_date "${end}"`));
  const { date = end ?? latestDate, id = Number.MAX_SAFE_INTEGER } = before ?? {};
  const and = sql`is_split_parent = 0 AND split_parent_id IS NULL AND is_group_parent = 0
    AND recurring_id IS NULL AND date >= ${start ?? earliestDate} AND (date, id) < (${date}, ${id})`;
  const orderBy = ['date DESC', 'id DESC'];
  return yield* select(transactions, { book_id: bookId }, { and, orderBy, limit });
}

/** The columns that rules changed. */
function newValues({ before, after }: Examined): Record<string, unknown> {
  const [earlier, later] = [before, after.row] as Readonly<Record<string, unknown>>[];
  const different = ruledColumns.filter((name) => earlier![name] !== later![name]);
  return Object.fromEntries(different.map((name) => [name, later![name]]));
}

function isChanged(examined: Examined): boolean {
  return Object.keys(newValues(examined)).length > 0;
}

function toPreviewed({ before, after }: Examined): Previewed {
  const { id, date, amount, currency } = before;
  const row = { ...before, ...after.row } as TransactionRow;
  return {
    id,
    date,
    amount: formatAmount(amount),
    currency,
    rule_ids: [...after.ruleIds],
    before: effectOf(before),
    after: effectOf(row),
    parts:
      after.parts?.map((part) => ({
        amount: formatAmount(part.amount),
        payee: part.payee ?? row.payee,
        category_id: part.category_id ?? row.category_id,
        notes: part.notes ?? row.notes,
      })) ?? null,
  };
}

function effectOf({ payee, category_id, tag_ids, notes, status }: TransactionRow) {
  return { payee, category_id, tag_ids: JSON.parse(tag_ids) as number[], notes, status };
}
