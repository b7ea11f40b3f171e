import type { Change } from '../../book/change.ts';
import { recordKind } from '../../book/record.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { rules } from '../../db/tables/tables.ts';
import { ruleToWire, toBookRule, actionsToWire, conditionsToWire } from './actions.ts';
import type { BookRule } from './actions.ts';
import type { Actions, Conditions, PartAction } from './rules.ts';

const ofManualAccount = references(inManualAccount);

export const ruleRecord = recordKind(rules, {
  toWire: (row) => ruleToWire(toBookRule(row), row.position - 1),
  shows: 'id position name conditions actions stop enabled created_at updated_at',
  forms: {
    conditions: (value) => conditionsToWire(value as Conditions),
    actions: (value) => actionsToWire(value as Actions),
  },
  refersTo: {
    categories: { dependents: 'category_rules', ...references(inCategory) },
    tags: { dependents: 'rules', ...references(inTag) },
    // Without the account of a condition a rule could never apply.
    manual_accounts: {
      *move(change, from, { manual_account_id: manualId, plaid_account_id: plaidId }) {
        if (plaidId === null) yield* ofManualAccount.move(change, from, manualId!);
        else yield* moveToPlaid(change, from, plaidId);
      },
      *remove(change, id) {
        yield* ofManualAccount.detach(change, id);
      },
    },
  },
});

type Parts = Pick<BookRule, 'conditions' | 'actions'>;

/** Replaces the references to a record; null removes them. Null if the rule loses a condition or all actions. */
type Replace = (rule: Parts, from: number, into: number | null) => Parts | null;

function inCategory(rule: Parts, from: number, into: number | null): Parts | null {
  const conditions = withCondition(rule.conditions, 'category_id', from, into);
  const { split, ...rest } = withCategory(rule.actions, from, into);
  const parts = split?.map((part) => withCategory(part, from, into));
  return joined(conditions, { ...rest, ...(parts !== undefined && { split: parts }) });
}

function inTag({ conditions, actions }: Parts, from: number, into: number | null): Parts | null {
  const { tag_ids: ids, ...rest } = actions;
  if (ids === undefined) return { conditions, actions };
  const left = ids.flatMap((id) => (id === from ? (into ?? []) : id));
  return joined(conditions, { ...rest, ...(left.length > 0 && { tag_ids: [...new Set(left)] }) });
}

function inManualAccount(
  { conditions, actions }: Parts,
  from: number,
  into: number | null,
): Parts | null {
  return joined(withCondition(conditions, 'manual_account_id', from, into), actions);
}

/** Makes the rules that refer to a manual account refer to a synced one. */
function* moveToPlaid(change: Change, from: number, into: number): Steps<void> {
  for (const rule of yield* usersOf(change.bookId, from, inManualAccount)) {
    const conditions = { ...rule.conditions, plaid_account_id: into };
    delete conditions.manual_account_id;
    yield* store(change, rule, { conditions, actions: rule.actions });
  }
}

/**
 * The rules that refer to records of one kind. A rule is removed if one of its conditions names a record that is going
 * to be deleted, because it could never apply again, or if it has no other action.
 */
function references(replace: Replace) {
  return {
    *count(bookId: number, id: number): Steps<number> {
      return (yield* usersOf(bookId, id, replace)).length;
    },
    *move(change: Change, from: number, into: number): Steps<void> {
      for (const rule of yield* usersOf(change.bookId, from, replace))
        yield* store(change, rule, replace(rule, from, into));
    },
    *detach(change: Change, id: number): Steps<void> {
      for (const rule of yield* usersOf(change.bookId, id, replace))
        yield* store(change, rule, replace(rule, id, null));
    },
  };
}

/** The rules that would be different without the record. */
function* usersOf(bookId: number, id: number, replace: Replace): Steps<BookRule[]> {
  const all = (yield* select(rules, { book_id: bookId })).map(toBookRule);
  const jsonOf = (rule: BookRule, into: number | null) => JSON.stringify(replace(rule, id, into));
  return all.filter((rule) => jsonOf(rule, null) !== jsonOf(rule, id));
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
  name: 'category_id' | 'manual_account_id',
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
