import sql from 'sql-template-tag';
import type { Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { flag, integer, oneOf, text, type Row } from '../../db/table.ts';
import type { rules } from '../../db/tables/tables.ts';
import type { Actions, Conditions, KnownRecords, PartAction } from './rules.ts';
import type { Rule, RuleActions, RuleConditions } from './schema.ts';
import { formatAmount, maxAmount } from '@coffer/core/money';
import { shorten } from '@coffer/core/text';
import { parseAmountInput } from '../../operations/amounts.ts';
import type { ErrorDetail } from '../../operations/problem.ts';

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
export function readConditions(
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
export function readActions(
  body: RuleActions,
  known: KnownRecords,
  problems: ErrorDetail[],
): Actions {
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
