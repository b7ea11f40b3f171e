import sql from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select, rowsAs } from '../../db/rows.ts';
import { given, flag, integer, oneOf, text, type NewRow, type Row } from '../../db/table.ts';
import { manualAccounts, plaidAccounts, rules, type transactions } from '../../db/tables/tables.ts';
import { bodyProblem, notFound, type ErrorDetail } from '../../operations/problem.ts';
import { refuseNothingToUpdate } from '../../operations/records.ts';
import { evaluator } from './rules.ts';
import type { RuledTransaction, Actions, Conditions, KnownRecords, PartAction } from './rules.ts';
import { maxRules } from './schema.ts';
import type { Rule, RuleInsert, RuleUpdate, RuleActions, RuleConditions } from './schema.ts';
import { formatAmount, maxAmount } from '@coffer/core/money';
import { shorten } from '@coffer/core/text';
import { parseAmountInput } from '../../operations/amounts.ts';

/** A rule of a book, with its conditions and actions parsed. */
export interface BookRule {
  readonly row: Row<typeof rules>;
  readonly id: number;
  readonly conditions: Conditions;
  readonly actions: Actions;
  readonly stop: boolean;
  readonly enabled: boolean;
}

/** The rules of a book in their order, and the records that they may use. */
export interface BookRules {
  readonly rules: readonly BookRule[];
  readonly known: KnownRecords;
}

const shape = {
  kind: oneOf('rule', 'category', 'tag'),
  id: integer,
  position: integer,
  name: text,
  conditions: text,
  actions: text,
  /** Of a category: whether excluded transactions can have it. */
  stop: flag,
  enabled: flag,
  created_at: text,
  updated_at: text,
};

/** Reads the rules of a book, and the categories and tags that they may use, in one statement. */
export function* rulesOf(bookId: number): Steps<BookRules> {
  const found = yield* rowsAs(
    shape,
    sql`
      SELECT 'rule' AS kind, id, position, name, conditions, actions, stop, enabled, created_at, updated_at
        FROM rules WHERE book_id = ${bookId}
      UNION ALL SELECT 'category', id, 0, '', '', '',
          CASE WHEN exclude_from_totals = 1 AND archived_at IS NULL THEN 1 ELSE 0 END, 1, '', ''
        FROM categories WHERE book_id = ${bookId} AND is_group = 0
      UNION ALL SELECT 'tag', id, 0, '', '', '', 0, 1, '', '' FROM tags WHERE book_id = ${bookId}
      ORDER BY position, id`,
  );
  const ofKind = (kind: string) => found.filter((each) => each.kind === kind);
  const categories = ofKind('category');
  return {
    rules: ofKind('rule').map(({ kind: _, ...columns }) =>
      toBookRule({ ...columns, book_id: bookId }),
    ),
    known: {
      categories: new Set(categories.map(({ id }) => id)),
      tags: new Set(ofKind('tag').map(({ id }) => id)),
      excluded: categories.find(({ stop }) => stop)?.id ?? null,
    },
  };
}

/** Parses a row. */
export function toBookRule(row: Row<typeof rules>): BookRule {
  return {
    row,
    id: row.id,
    conditions: JSON.parse(row.conditions) as Conditions,
    actions: JSON.parse(row.actions) as Actions,
    stop: row.stop,
    enabled: row.enabled,
  };
}

/** Returns a rule as in a response; `index` is its place in the order, from 0. */
export function ruleToWire({ row, conditions, actions }: BookRule, index: number): Rule {
  const { id, name, stop, enabled, created_at, updated_at } = row;
  return {
    id,
    position: index + 1,
    name,
    conditions: conditionsToWire(conditions),
    actions: actionsToWire(actions),
    stop,
    enabled,
    created_at,
    updated_at,
  };
}

/** The accounts of a book that conditions may name. */
export interface KnownAccounts {
  readonly manual: ReadonlySet<number>;
  readonly plaid: ReadonlySet<number>;
}

/** Returns conditions as they are stored, and adds what is wrong with them to `problems`. */
function readConditions(
  body: RuleConditions,
  known: KnownRecords & KnownAccounts,
  problems: ErrorDetail[],
): Conditions {
  const place = 'conditions';
  if (Object.keys(body).length === 0)
    problems.push(problem(place, body, 'must have at least one condition'));
  const { manual_account_id: manual, plaid_account_id: plaid, category_id: category } = body;
  if (manual !== undefined && plaid !== undefined)
    problems.push(problem(place, body, 'cannot name a manual and a synced account'));
  check(known.manual, `${place}/manual_account_id`, manual, 'a manual account', problems);
  check(known.plaid, `${place}/plaid_account_id`, plaid, 'a synced account', problems);
  check(known.categories, `${place}/category_id`, category, 'a category', problems);
  if (body.amount === undefined) return body as Conditions;
  return { ...body, amount: readAmountCondition(body.amount, problems) };
}

function readAmountCondition(
  { sign, ...bounds }: NonNullable<RuleConditions['amount']>,
  problems: ErrorDetail[],
): NonNullable<Conditions['amount']> {
  const place = 'conditions/amount';
  const read = Object.fromEntries(
    Object.entries(bounds).map(([name, value]) => [
      name,
      readSize(`${place}/${name}`, value, problems, 0),
    ]),
  ) as { equals?: number; min?: number; max?: number };
  const { equals, min, max } = read;
  if (equals !== undefined && (min !== undefined || max !== undefined))
    problems.push(problem(place, bounds, 'cannot have equals together with min or max'));
  if (min !== undefined && max !== undefined && min > max)
    problems.push(problem(`${place}/min`, bounds.min, 'must not be greater than max'));
  if (sign === undefined && Object.keys(bounds).length === 0)
    problems.push(problem(place, bounds, 'must have equals, min, max or sign'));
  return { ...read, ...(sign !== undefined && { sign }) };
}

/** Returns actions as they are stored, and adds what is wrong with them to `problems`. */
function readActions(body: RuleActions, known: KnownRecords, problems: ErrorDetail[]): Actions {
  const place = 'actions';
  const { category_id, tag_ids = [], exclude, split } = body;
  if (Object.keys(body).length === 0)
    problems.push(problem(place, body, 'must have at least one action'));
  check(known.categories, `${place}/category_id`, category_id, 'a category', problems);
  for (const [at, id] of tag_ids.entries())
    check(known.tags, `${place}/tag_ids/${at}`, id, 'a tag', problems);
  if (exclude === true && category_id !== undefined)
    problems.push(problem(`${place}/exclude`, true, 'cannot be set together with category_id'));
  if (exclude === true && known.excluded === null)
    problems.push(
      problem(`${place}/exclude`, true, 'needs a category with exclude_from_totals in the book'),
    );
  const tags = tag_ids.length === 0 ? {} : { tag_ids: [...new Set(tag_ids)] };
  if (split === undefined) return { ...body, ...tags } as Actions;
  return { ...body, ...tags, split: readSplit(split, known, problems) };
}

function readSplit(
  split: NonNullable<RuleActions['split']>,
  known: KnownRecords,
  problems: ErrorDetail[],
): PartAction[] {
  const parts = split.map((part, at): PartAction => {
    const place = `actions/split/${at}`;
    const isLast = at === split.length - 1;
    const { amount, percentage, ...rest } = part;
    check(known.categories, `${place}/category_id`, part.category_id, 'a category', problems);
    const given = [amount, percentage].filter((value) => value !== undefined).length;
    if (isLast && given > 0)
      problems.push(problem(place, part, 'gets the rest, so it must have no amount or percentage'));
    if (!isLast && given !== 1)
      problems.push(problem(place, part, 'must have either amount or percentage'));
    return {
      ...rest,
      ...(amount !== undefined && { amount: readSize(`${place}/amount`, amount, problems, 1) }),
      ...(percentage !== undefined && {
        percentage: readSize(`${place}/percentage`, percentage, problems, 1),
      }),
    };
  });
  const percent = parts.reduce((sum, { percentage = 0 }) => sum + percentage, 0);
  if (percent >= 1_000_000)
    problems.push(
      problem(
        'actions/split',
        formatAmount(percent),
        'must leave a percentage above 0 for the last part',
      ),
    );
  return parts;
}

function readSize(
  place: string,
  value: number | string,
  problems: ErrorDetail[],
  least: number,
): number {
  const size = parseAmountInput(value);
  if (size !== null && size >= least) return size;
  const range = `${least === 0 ? 'at least 0' : 'above 0'} and at most ${formatAmount(maxAmount)}`;
  problems.push(problem(place, value, `must be ${range}`));
  return least;
}

function check(
  known: ReadonlySet<number>,
  place: string,
  id: number | undefined,
  what: string,
  problems: ErrorDetail[],
): void {
  if (id === undefined || known.has(id)) return;
  problems.push(problem(place, id, `is not ${what} of this book`));
}

/** Returns what is wrong with a property of the body of a request. */
export function problem(property: string, value: unknown, reason: string): ErrorDetail {
  return {
    errMsg: `Body property ${property} ${reason}: ${shorten(JSON.stringify(value))}`,
    instancePath: `/body/${property}`,
    invalid_property: property,
  };
}

/** Returns stored conditions as in a response. */
export function conditionsToWire({ amount, ...rest }: Conditions): RuleConditions {
  if (amount === undefined) return rest;
  const { sign, ...bounds } = amount;
  return { ...rest, amount: { ...formatted(bounds), ...(sign !== undefined && { sign }) } };
}

/** Returns stored actions as in a response. */
export function actionsToWire({ split, ...rest }: Actions): RuleActions {
  const { tag_ids, ...others } = rest;
  return {
    ...others,
    ...(tag_ids !== undefined && { tag_ids: [...tag_ids] }),
    ...(split !== undefined && {
      split: split.map(({ amount, percentage, ...part }) => ({
        ...formatted({ amount, percentage }),
        ...part,
      })),
    }),
  };
}

/** The numbers that are not undefined, as amounts of the API. */
function formatted<K extends string>(
  numbers: Readonly<Partial<Record<K, number | undefined>>>,
): Partial<Record<K, string>> {
  const pairs = Object.entries<number | undefined>(numbers);
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, formatAmount(value)]])),
  ) as Partial<Record<K, string>>;
}

/**
 * Applies the rules of a book that are on to new transactions, in order.
 *
 * All returned rows have the columns that rules can change, if the book has rules. The work is proportional to the
 * number of rows.
 */
export function applyRules(
  { rules: all, known }: BookRules,
  rows: readonly NewRow<typeof transactions>[],
): RuledTransaction[] {
  const active = all.filter(({ enabled }) => enabled);
  if (active.length === 0) return rows.map((row) => ({ row, parts: null }));
  const evaluate = evaluator(active, known);
  return rows.map((each) => {
    const { row, parts } = evaluate(each);
    return { row, parts };
  });
}

/** Returns the rules of a book in their order. */
export function* listRules(bookId: number): Steps<Rule[]> {
  return (yield* rulesOf(bookId)).rules.map(ruleToWire);
}

/** Returns a rule of the book. Throws a 404 if it is missing. */
export function* ruleOf(bookId: number, id: number): Steps<Rule> {
  const { rule, index } = placeOf(yield* rulesOf(bookId), id);
  return ruleToWire(rule, index);
}

/** Returns a rule with its place in the order, from 0. Throws a 404 if it is missing. */
export function placeOf({ rules: all }: BookRules, id: number): { rule: BookRule; index: number } {
  const index = all.findIndex((each) => each.id === id);
  if (index < 0) throw notFound('rule', id);
  return { rule: all[index]!, index };
}

/** Creates a rule, which becomes the last one. Throws a Problem that lists all that is wrong. */
export function* createRule(change: Change, body: RuleInsert): Steps<Rule> {
  const book = yield* rulesOf(change.bookId);
  const columns = yield* readRule(change.bookId, book, body);
  const { name, stop = false, enabled = true } = body;
  if (book.rules.length >= maxRules)
    throw bodyProblem({ errMsg: `A book can have at most ${maxRules} rules` });
  const position = (book.rules.at(-1)?.row.position ?? 0) + 1;
  const row = yield* change.insert(rules, { ...columns, name, stop, enabled, position });
  return ruleToWire(toBookRule(row), book.rules.length);
}

/** Changes a rule. Throws a Problem that lists all that is wrong. */
export function* updateRule(change: Change, id: number, body: RuleUpdate): Steps<Rule> {
  const book = yield* rulesOf(change.bookId);
  const { rule, index } = placeOf(book, id);
  const { name, conditions, actions, stop, enabled } = body;
  const parts = given({ conditions, actions });
  const own = given({ name, stop, enabled });
  refuseNothingToUpdate('rule', { ...parts, ...own });
  const columns = yield* readRule(change.bookId, book, parts);
  const row = yield* change.update(rules, rule.row, { ...columns, ...own });
  return ruleToWire(toBookRule(row), index);
}

/** Removes a rule. Throws a 404 if it is missing. */
export function* removeRule(change: Change, id: number): Steps<Rule> {
  const { rule, index } = placeOf(yield* rulesOf(change.bookId), id);
  yield* change.remove(rules, rule.row);
  return ruleToWire(rule, index);
}

/** Puts the rules of the book into the order of `ids`, which must name each once. Returns them. */
export function* orderRules(change: Change, ids: readonly number[]): Steps<Rule[]> {
  const { rules: all } = yield* rulesOf(change.bookId);
  const problems = orderProblems(
    all.map(({ id }) => id),
    ids,
  );
  if (problems.length > 0) throw bodyProblem(...problems);
  const byId = new Map(all.map((each) => [each.id, each]));
  const ordered: BookRule[] = [];
  for (const [at, id] of ids.entries()) {
    const position = at + 1;
    ordered.push(toBookRule(yield* change.update(rules, byId.get(id)!.row, { position })));
  }
  return ordered.map(ruleToWire);
}

function orderProblems(known: readonly number[], ids: readonly number[]): ErrorDetail[] {
  const seen = new Set<number>();
  const problems: ErrorDetail[] = [];
  for (const [at, id] of ids.entries()) {
    const place = `rule_ids/${at}`;
    if (!known.includes(id)) problems.push(problem(place, id, 'is not a rule of this book'));
    else if (seen.has(id)) problems.push(problem(place, id, 'is repeated'));
    seen.add(id);
  }
  const missing = known.filter((id) => !seen.has(id));
  if (missing.length > 0)
    problems.push(problem('rule_ids', ids, `must also have ${missing.join(', ')}`));
  return problems;
}

type Parts = Pick<RuleInsert, 'conditions' | 'actions'>;
type Stored<P> = { readonly [K in keyof P]: string };

/** Returns conditions and actions of a request as they are stored. Throws a Problem that lists all that is wrong. */
export function* readRule<P extends Partial<Parts>>(
  bookId: number,
  { known }: BookRules,
  { conditions, actions }: P,
): Steps<Stored<Pick<P, keyof Parts & keyof P>>> {
  const problems: ErrorDetail[] = [];
  const accounts = yield* accountsOf(bookId);
  const read = given({
    conditions: conditions && readConditions(conditions, { ...known, ...accounts }, problems),
    actions: actions && readActions(actions, known, problems),
  });
  if (problems.length > 0) throw bodyProblem(...problems);
  const texts = Object.entries(read).map(([name, value]) => [name, storedText(value)]);
  return Object.fromEntries(texts) as Stored<Pick<P, keyof Parts & keyof P>>;
}

/** Equal values have equal texts, whatever the order of their keys, so a rule that is sent back does not change. */
function storedText(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part !== 'object' || part === null || Array.isArray(part)
      ? part
      : Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}

function* accountsOf(bookId: number): Steps<KnownAccounts> {
  const manual = yield* select(manualAccounts, { book_id: bookId });
  const plaid = yield* select(plaidAccounts, { book_id: bookId });
  const idsOf = (rows: readonly { id: number }[]) => new Set(rows.map(({ id }) => id));
  return { manual: idsOf(manual), plaid: idsOf(plaid) };
}
