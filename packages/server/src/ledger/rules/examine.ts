import { formatAmount } from '@coffer/core/money';
import sql from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { Row, RowUpdate } from '../../db/table.ts';
import { transactions } from '../../db/tables/tables.ts';
import { bodyProblem } from '../../operations/problem.ts';
import { placeOf, readRule } from './actions.ts';
import { rulesOf, problem } from './book-rules.ts';
import { evaluator, ruledColumns } from './rules.ts';
import type { Actions, Conditions, Evaluation, StoredRule } from './rules.ts';
import type { RulePreview, RulePreviewRequest, RuleScope } from './schema.ts';

type TransactionRow = Row<typeof transactions>;
type Previewed = RulePreview['transactions'][number];

/** A transaction as it is, and after rules. */
interface Examined {
  readonly before: TransactionRow;
  readonly after: Evaluation;
}

const defaultExamined = 100;

/** Returns what rules would have changed of the latest transactions. Writes nothing. */
export function* previewRules(bookId: number, request: RulePreviewRequest): Steps<RulePreview> {
  const examined = yield* examine(bookId, request);
  const changed = examined.filter((each) => each.after.parts !== null || isChanged(each));
  return { examined: examined.length, transactions: changed.map(toPreviewed) };
}

/** Applies rules to the latest transactions, except that they are not split. Returns the numbers of transactions. */
export function* applyToExisting(
  change: Change,
  scope: RuleScope,
): Steps<{ examined: number; changed: number }> {
  const examined = yield* examine(change.bookId, scope);
  const changed = examined.filter(isChanged);
  const alike = Map.groupBy(changed, ({ after }) => JSON.stringify(ruledValues(after.row)));
  for (const [text, group] of alike) {
    const rows = group.map(({ before }) => before);
    const columns = JSON.parse(text) as RowUpdate<typeof transactions>;
    // Neither amounts nor accounts change, so balances stay.
    yield* change.updateAll(transactions, rows, columns);
  }
  return { examined: examined.length, changed: changed.length };
}

function* examine(bookId: number, request: RulePreviewRequest): Steps<Examined[]> {
  const { rules, known } = yield* chosenRules(bookId, request);
  const evaluate = evaluator(rules, known);
  const rows = yield* latest(bookId, request);
  return rows.map((before) => ({ before, after: evaluate(before) }));
}

function* chosenRules(bookId: number, { rule, rule_id: id }: RulePreviewRequest) {
  const book = yield* rulesOf(bookId);
  if (rule !== undefined && id !== undefined)
    throw bodyProblem(problem('rule', rule, 'cannot be sent together with rule_id'));
  if (rule !== undefined) return { ...book, rules: [yield* unstored(bookId, rule, book)] };
  if (id === undefined) return book;
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

/** The latest transactions without those whose texts a split, a group or a recurring item decides. */
function* latest(bookId: number, scope: RuleScope): Steps<TransactionRow[]> {
  const { start_date: start, end_date: end, transactions: limit = defaultExamined } = scope;
  if (start !== undefined && end !== undefined && start > end)
    throw bodyProblem(problem('start_date', start, `must not be later than end_date "${end}"`));
  const and = sql`is_split_parent = 0 AND split_parent_id IS NULL AND is_group_parent = 0
    AND recurring_id IS NULL AND date BETWEEN ${start ?? '0001-01-01'} AND ${end ?? '9999-12-31'}`;
  const orderBy = ['date DESC', 'id DESC'];
  return yield* select(transactions, { book_id: bookId }, { and, orderBy, limit });
}

function ruledValues(row: object): Record<string, unknown> {
  const columns = row as Readonly<Record<string, unknown>>;
  return Object.fromEntries(ruledColumns.map((name) => [name, columns[name]]));
}

function isChanged({ before, after }: Examined): boolean {
  return JSON.stringify(ruledValues(before)) !== JSON.stringify(ruledValues(after.row));
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
