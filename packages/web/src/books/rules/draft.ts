import { accountIdIn, accountOf } from '../rows/rows.ts';
import type { Schemas, Transaction } from '../types.ts';

export type Rule = Schemas['Rule'];
export type RuleInsert = Schemas['RuleInsert'];
type Conditions = RuleInsert['conditions'];
type Actions = RuleInsert['actions'];
export type Operator = NonNullable<Conditions['payee']>['operator'];

/** A rule as a form edits it. What is not set is null. */
export interface RuleDraft {
  /** Null for a name that is made of what the rule does. */
  readonly name: string | null;
  readonly payeeOperator: Operator;
  readonly payee: string | null;
  readonly notesOperator: Operator;
  readonly notes: string | null;
  /** Decimals without a sign. Equal bounds are one amount. */
  readonly least: string | null;
  readonly most: string | null;
  readonly direction: 'any' | 'debit' | 'credit';
  /** `manual:1` or `plaid:1`; empty for any account. */
  readonly account: string;
  readonly ofCategory: number | null;
  readonly category_id: number | null;
  readonly newPayee: string | null;
  readonly tag_ids: readonly number[];
  readonly newNotes: string | null;
  readonly reviewed: 'keep' | 'yes' | 'no';
  readonly isExcluded: boolean;
  readonly stop: boolean;
  /** The parts of a split, which the form shows but does not change. */
  readonly split: Actions['split'];
  /** Whether it is applied to the transactions that exist, too. */
  readonly isForPast: boolean;
}

/** A rule without conditions and actions. */
export const emptyRule: RuleDraft = {
  name: null,
  payeeOperator: 'contains',
  payee: null,
  notesOperator: 'contains',
  notes: null,
  least: null,
  most: null,
  direction: 'any',
  account: '',
  ofCategory: null,
  category_id: null,
  newPayee: null,
  tag_ids: [],
  newNotes: null,
  reviewed: 'keep',
  isExcluded: false,
  stop: false,
  split: undefined,
  isForPast: false,
};

/** A rule that gives all transactions of a payee its category, the past ones too. */
export function ruleLike(row: Pick<Transaction, 'payee' | 'category_id'>): RuleDraft {
  const payee = row.payee === '' ? null : row.payee;
  const { category_id } = row;
  return { ...emptyRule, payeeOperator: 'is', payee, category_id, isForPast: true };
}

/** Returns a rule as the form edits it. */
export function draftOfRule({ name, conditions, actions, stop }: Rule): RuleDraft {
  const { payee, notes, amount = {} } = conditions;
  const { equals, min, max, sign } = amount;
  const { manual_account_id: manual = null, plaid_account_id: plaid = null } = conditions;
  return {
    ...emptyRule,
    name,
    payeeOperator: payee?.operator ?? 'contains',
    payee: payee?.value ?? null,
    notesOperator: notes?.operator ?? 'contains',
    notes: notes?.value ?? null,
    least: textOf(equals ?? min),
    most: textOf(equals ?? max),
    direction: sign ?? 'any',
    account: accountOf({ manual_account_id: manual, plaid_account_id: plaid }),
    ofCategory: conditions.category_id ?? null,
    category_id: actions.category_id ?? null,
    newPayee: actions.payee ?? null,
    tag_ids: actions.tag_ids ?? [],
    newNotes: actions.notes ?? null,
    reviewed: actions.reviewed === undefined ? 'keep' : actions.reviewed ? 'yes' : 'no',
    isExcluded: actions.exclude === true,
    stop,
    split: actions.split,
  };
}

function textOf(amount: number | string | undefined): string | null {
  return amount === undefined ? null : String(amount);
}

/** What is sent for a draft, under a name; null while it has no condition or no action. */
export function bodyOfRule(draft: RuleDraft, name: string): RuleInsert | null {
  const conditions = conditionsOf(draft);
  const actions = actionsOf(draft);
  const isWhole = [conditions, actions].every((each) => Object.keys(each).length > 0);
  return isWhole ? { name, conditions, actions, stop: draft.stop } : null;
}

function conditionsOf(draft: RuleDraft): Conditions {
  const { payee, notes, account, ofCategory } = draft;
  const amount = amountOf(draft);
  return {
    ...(isText(payee) && { payee: { operator: draft.payeeOperator, value: payee.trim() } }),
    ...(isText(notes) && { notes: { operator: draft.notesOperator, value: notes.trim() } }),
    ...(Object.keys(amount).length > 0 && { amount }),
    ...accountIdIn(account),
    ...(ofCategory !== null && { category_id: ofCategory }),
  };
}

function amountOf({ least, most, direction }: RuleDraft): NonNullable<Conditions['amount']> {
  const sign = direction === 'any' ? {} : { sign: direction };
  if (least !== null && least === most) return { equals: least, ...sign };
  return { ...(least !== null && { min: least }), ...(most !== null && { max: most }), ...sign };
}

function actionsOf(draft: RuleDraft): Actions {
  const { newPayee, category_id, tag_ids, newNotes, reviewed, isExcluded, split } = draft;
  return {
    ...(isText(newPayee) && { payee: newPayee.trim() }),
    // The category of what is left out of totals is chosen by the server.
    ...(category_id !== null && !isExcluded && { category_id }),
    ...(tag_ids.length > 0 && { tag_ids: [...tag_ids] }),
    ...(isText(newNotes) && { notes: newNotes.trim() }),
    ...(reviewed !== 'keep' && { reviewed: reviewed === 'yes' }),
    ...(isExcluded && { exclude: true }),
    ...(split !== undefined && { split }),
  };
}

function isText(text: string | null): text is string {
  return text !== null && text.trim() !== '';
}

/** Moves an item of a list by some places, as far as the ends allow. */
export function movedBy(ids: readonly number[], id: number, step: number): number[] {
  const others = ids.filter((each) => each !== id);
  const to = Math.max(0, Math.min(ids.indexOf(id) + step, others.length));
  return others.toSpliced(to, 0, id);
}
