import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { given } from '../../db/table.ts';
import type { NewRow } from '../../db/table.ts';
import { manualAccounts, plaidAccounts, rules } from '../../db/tables/tables.ts';
import type { transactions } from '../../db/tables/tables.ts';
import { bodyProblem, notFound } from '../../operations/problem.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import { refuseNothingToUpdate } from '../../operations/records.ts';
import {
  rulesOf,
  ruleToWire,
  toBookRule,
  problem,
  readActions,
  readConditions,
} from './book-rules.ts';
import type { BookRule, BookRules, KnownAccounts } from './book-rules.ts';
import { evaluator } from './rules.ts';
import type { RuledTransaction } from './rules.ts';
import { maxRules } from './schema.ts';
import type { Rule, RuleInsert, RuleUpdate } from './schema.ts';

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
