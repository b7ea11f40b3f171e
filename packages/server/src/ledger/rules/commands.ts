import { changing, type Cause } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { categories, manualAccounts, plaidAccounts, tags } from '../../db/tables/tables.ts';
import { createRule, listRules, orderRules, removeRule, updateRule } from './actions.ts';
import type { Rule, RuleInsert } from './schema.ts';

/** A record that a rule can name. */
export interface NamedRecord {
  readonly id: number;
  readonly names: readonly string[];
}

/** The records of a book that a rule can name. */
export type RuleNames = Readonly<
  Record<'manualAccounts' | 'plaidAccounts' | 'categories' | 'tags', readonly NamedRecord[]>
>;

/** Returns the records of a book that a rule can name. */
export function* namesForRules(bookId: number): Steps<RuleNames> {
  const book = { book_id: bookId };
  return {
    manualAccounts: (yield* select(manualAccounts, book)).map(shown),
    plaidAccounts: (yield* select(plaidAccounts, book)).map(shown),
    categories: (yield* select(categories, { ...book, is_group: false })).map(named),
    tags: (yield* select(tags, book)).map(named),
  };
}

/** Creates a rule, as one change of the book. Throws a Problem that lists all that is wrong. */
export function* addRule(bookId: number, rule: RuleInsert): Steps<Rule> {
  return yield* changing(causeOf(bookId, 'add'), (change) => createRule(change, rule));
}

/** Removes a rule, as one change of the book. Throws a Problem if it is missing. */
export function* dropRule(bookId: number, id: number): Steps<Rule> {
  return yield* changing(causeOf(bookId, 'remove'), (change) => removeRule(change, id));
}

/** Turns a rule on or off, as one change of the book, if it is not so already. Throws a Problem if it is missing. */
export function* setRuleEnabled(bookId: number, id: number, enabled: boolean): Steps<Rule> {
  const cause = causeOf(bookId, enabled ? 'enable' : 'disable');
  return yield* changing(cause, (change) => updateRule(change, id, { enabled }));
}

/** Puts these rules first, in this order, as one change of the book. The others keep their order. */
export function* putRulesFirst(bookId: number, ids: readonly number[]): Steps<Rule[]> {
  return yield* changing(causeOf(bookId, 'order'), function* (change) {
    const all = (yield* listRules(bookId)).map(({ id }) => id);
    return yield* orderRules(change, [...ids, ...all.filter((id) => !ids.includes(id))]);
  });
}

function causeOf(bookId: number, command: string): Cause {
  return { bookId, actor: 'command', operation: `rules ${command}` };
}

function shown({
  id,
  name,
  display_name: display,
}: {
  id: number;
  name: string;
  display_name: string | null;
}) {
  return { id, names: display === null ? [name] : [display, name] };
}

function named({ id, name }: { id: number; name: string }): NamedRecord {
  return { id, names: [name] };
}
