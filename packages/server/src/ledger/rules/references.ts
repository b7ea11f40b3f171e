import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { rules } from '../../db/tables/tables.ts';
import { toBookRule } from './book-rules.ts';
import type { BookRule } from './book-rules.ts';
import type { Actions, Conditions, PartAction } from './rules.ts';

/** The rules of a book that refer to records of one kind. */
export interface RuleReferences {
  /** Returns how many rules refer to the record. */
  readonly count: (bookId: number, id: number) => Steps<number>;
  /** Makes the rules refer to another record, for a merge. */
  readonly move: (change: Change, from: number, into: number) => Steps<void>;
  /**
   * Removes the references to a record that is going to be deleted. A rule is removed if one of its conditions names
   * the record, because it could never apply again, or if it has no other action.
   */
  readonly detach: (change: Change, id: number) => Steps<void>;
}

type Parts = Pick<BookRule, 'conditions' | 'actions'>;

/** Replaces the references to a record; null removes them. Null if the rule loses a condition or all actions. */
type Replace = (rule: Parts, from: number, into: number | null) => Parts | null;

export const rulesOfCategory = references((rule, from, into) => {
  const conditions = withCondition(rule.conditions, 'category_id', from, into);
  const { split, ...rest } = withCategory(rule.actions, from, into);
  const parts = split?.map((part) => withCategory(part, from, into));
  return joined(conditions, { ...rest, ...(parts !== undefined && { split: parts }) });
});

export const rulesOfTag = references(({ conditions, actions }, from, into) => {
  const { tag_ids: ids, ...rest } = actions;
  if (ids === undefined) return { conditions, actions };
  const left = ids.flatMap((id) => (id === from ? (into ?? []) : id));
  return joined(conditions, { ...rest, ...(left.length > 0 && { tag_ids: [...new Set(left)] }) });
});

const inManualAccount: Replace = ({ conditions, actions }, from, into) =>
  joined(withCondition(conditions, 'manual_account_id', from, into), actions);

/** The rules that refer to a manual account. */
export const rulesOfAccount = references(inManualAccount);

/** Makes the rules that refer to a manual account refer to a synced one, for a merge. */
export function* moveRulesToPlaid(change: Change, from: number, into: number): Steps<void> {
  for (const rule of yield* usersOf(change.bookId, from, inManualAccount)) {
    const conditions = { ...rule.conditions, plaid_account_id: into };
    delete conditions.manual_account_id;
    yield* store(change, rule, { conditions, actions: rule.actions });
  }
}

export const rulesOfPlaidAccount = references(({ conditions, actions }, from, into) =>
  joined(withCondition(conditions, 'plaid_account_id', from, into), actions),
);

function references(replace: Replace): RuleReferences {
  return {
    *count(bookId, id) {
      return (yield* usersOf(bookId, id, replace)).length;
    },
    *move(change, from, into) {
      for (const rule of yield* usersOf(change.bookId, from, replace))
        yield* store(change, rule, replace(rule, from, into));
    },
    *detach(change, id) {
      for (const rule of yield* usersOf(change.bookId, id, replace))
        yield* store(change, rule, replace(rule, id, null));
    },
  };
}

/** The rules that would be different without the record. */
function* usersOf(bookId: number, id: number, replace: Replace): Steps<BookRule[]> {
  const all = (yield* select(rules, { book_id: bookId })).map(toBookRule);
  const textOf = (rule: BookRule, into: number | null) => JSON.stringify(replace(rule, id, into));
  return all.filter((rule) => textOf(rule, null) !== textOf(rule, id));
}

function* store(change: Change, { row }: BookRule, after: Parts | null): Steps<void> {
  if (after === null) yield* change.remove(rules, row);
  else
    yield* change.update(rules, row, {
      conditions: JSON.stringify(after.conditions),
      actions: JSON.stringify(after.actions),
    });
}

function joined(conditions: Conditions | null, actions: Actions): Parts | null {
  return conditions === null || Object.keys(actions).length === 0 ? null : { conditions, actions };
}

function withCondition(
  conditions: Conditions,
  name: 'category_id' | 'manual_account_id' | 'plaid_account_id',
  from: number,
  into: number | null,
): Conditions | null {
  if (conditions[name] !== from) return conditions;
  return into === null ? null : { ...conditions, [name]: into };
}

function withCategory<T extends Actions | PartAction>(
  object: T,
  from: number,
  into: number | null,
): T {
  if (object.category_id !== from) return object;
  const others = Object.entries(object).filter(([name]) => name !== 'category_id');
  return { ...Object.fromEntries(others), ...(into !== null && { category_id: into }) } as T;
}
