import { divideHalfToEven } from '@coffer/core/money';
import { withSingleBlanks } from '@coffer/core/text';
import type { NewRow } from '../../db/table.ts';
import type { transactions } from '../../db/tables/tables.ts';
import { currencies } from '../../operations/currencies.ts';
import type { operators, signs } from './schema.ts';

/** Compares a text. */
export interface TextCondition {
  readonly operator: (typeof operators)[number];
  readonly value: string;
}

/** When a rule applies, as it is stored. Amounts are in ten-thousandths, at least 0. */
export interface Conditions {
  readonly payee?: TextCondition;
  readonly notes?: TextCondition;
  readonly amount?: {
    readonly equals?: number;
    readonly min?: number;
    readonly max?: number;
    readonly sign?: (typeof signs)[number];
  };
  readonly manual_account_id?: number;
  readonly plaid_account_id?: number;
  readonly category_id?: number;
}

/** A part of a split, as it is stored: an amount or a percentage in ten-thousandths, except in the last part. */
export interface PartAction {
  readonly amount?: number;
  readonly percentage?: number;
  readonly payee?: string;
  readonly category_id?: number;
  readonly notes?: string;
}

/** What a rule does, as it is stored. */
export interface Actions {
  readonly payee?: string;
  readonly category_id?: number;
  readonly tag_ids?: readonly number[];
  readonly notes?: string;
  readonly reviewed?: boolean;
  readonly exclude?: true;
  readonly split?: readonly PartAction[];
}

/** A rule to evaluate; `id` is null for one that is not stored. */
export interface StoredRule {
  readonly id: number | null;
  readonly conditions: Conditions;
  readonly actions: Actions;
  readonly stop: boolean;
}

/** The records of a book that actions may use. A reference to another record has no effect. */
export interface KnownRecords {
  /** The categories that are not groups. */
  readonly categories: ReadonlySet<number>;
  readonly tags: ReadonlySet<number>;
  /** The category of excluded transactions, if there is one. */
  readonly excluded: number | null;
}

/** The columns of a new transaction; amounts in ten-thousandths, debit positive. */
type NewTransaction = NewRow<typeof transactions>;

/** A part of a transaction that a rule splits; amounts in ten-thousandths. */
export interface RulePart {
  readonly amount: number;
  readonly payee?: string;
  readonly category_id?: number | null;
  readonly notes?: string | null;
}

/** A new transaction after the rules of the book. */
export interface RuledTransaction {
  readonly row: NewTransaction;
  /** The parts into which a rule splits it; null if none does. Their amounts total that of the row. */
  readonly parts: readonly RulePart[] | null;
}

/** A transaction after rules, with the ids of those that apply. */
export interface Evaluation extends RuledTransaction {
  readonly ruleIds: readonly number[];
}

/** The columns that rules write. Every evaluated row has all: rows that are written together have the same columns. */
export const ruledColumns = [
  'payee',
  'original_name',
  'category_id',
  'tag_ids',
  'notes',
  'status',
] as const;

/**
 * Returns a function that evaluates rules on a transaction, in order: each rule sees what the earlier ones did.
 *
 * The work for a transaction is proportional to the number of rules and to the length of its texts.
 */
export function evaluator(
  rules: readonly StoredRule[],
  known: KnownRecords,
): (row: NewTransaction) => Evaluation {
  const prepared = rules.map((rule) => ({ rule, applies: matcherOf(rule.conditions) }));
  return (row) => {
    let after = complete(row);
    let texts = textsOf(after);
    let split: readonly PartAction[] | null = null;
    const ruleIds: number[] = [];
    for (const { rule, applies } of prepared) {
      if (!applies(after, texts)) continue;
      if (rule.id !== null) ruleIds.push(rule.id);
      after = withActions(after, rule.actions, known);
      texts = textsOf(after);
      split = rule.actions.split ?? split;
      if (rule.stop) break;
    }
    return { row: after, parts: split && partsOf(after, split, known), ruleIds };
  };
}

/** The texts of a transaction in the form in which they are compared. */
interface Texts {
  readonly payee: string;
  readonly notes: string;
}

function textsOf({ payee, notes }: NewTransaction): Texts {
  return { payee: foldText(payee), notes: foldText(notes ?? '') };
}

/** The form in which texts are compared: with single blanks, case-folded, Unicode normalization form C. */
export function foldText(text: string): string {
  // Upper case first: it unites letters that have one lower case each, such as ß and ss, or ς and σ.
  return withSingleBlanks(text).toUpperCase().toLowerCase().normalize('NFC');
}

type Matcher = (row: NewTransaction, texts: Texts) => boolean;

function matcherOf(conditions: Conditions): Matcher {
  const { payee, notes, amount, manual_account_id, plaid_account_id, category_id } = conditions;
  const all: Matcher[] = [];
  if (payee !== undefined) all.push(textMatcher('payee', payee));
  if (notes !== undefined) all.push(textMatcher('notes', notes));
  if (amount !== undefined) all.push((row) => matchesAmount(row.amount, amount));
  const ids = Object.entries({ manual_account_id, plaid_account_id, category_id });
  for (const [name, id] of ids)
    if (id !== undefined) all.push((row) => row[name as 'category_id'] === id);
  return (row, texts) => all.every((holds) => holds(row, texts));
}

function textMatcher(name: keyof Texts, { operator, value }: TextCondition): Matcher {
  const wanted = foldText(value);
  if (operator === 'is') return (_row, texts) => texts[name] === wanted;
  if (operator === 'contains') return (_row, texts) => texts[name].includes(wanted);
  return (_row, texts) => texts[name].startsWith(wanted);
}

function matchesAmount(
  amount: number,
  { equals, min, max, sign }: NonNullable<Conditions['amount']>,
): boolean {
  const size = Math.abs(amount);
  if (equals !== undefined && size !== equals) return false;
  if (min !== undefined && size < min) return false;
  if (max !== undefined && size > max) return false;
  return sign === undefined || (sign === 'debit' ? amount > 0 : amount < 0);
}

function complete(row: NewTransaction): NewTransaction {
  const { original_name = null, category_id = null, tag_ids = '[]', notes = null } = row;
  return { ...row, original_name, category_id, tag_ids, notes };
}

function withActions(row: NewTransaction, actions: Actions, known: KnownRecords): NewTransaction {
  const { payee, tag_ids, notes, reviewed } = actions;
  const categoryId = actions.exclude === true ? known.excluded : categoryOf(actions, known);
  return {
    ...row,
    ...(payee !== undefined && { payee, original_name: row.original_name ?? row.payee }),
    ...(categoryId !== null && { category_id: categoryId }),
    ...(tag_ids !== undefined && { tag_ids: withTags(row.tag_ids ?? '[]', tag_ids, known) }),
    ...(notes !== undefined && { notes }),
    ...(reviewed !== undefined && { status: reviewed ? 'reviewed' : 'unreviewed' }),
  };
}

function categoryOf({ category_id: id }: Actions | PartAction, known: KnownRecords): number | null {
  return id !== undefined && known.categories.has(id) ? id : null;
}

function withTags(own: string, added: readonly number[], known: KnownRecords): string {
  const ids = new Set(JSON.parse(own) as number[]);
  for (const id of added) if (known.tags.has(id)) ids.add(id);
  return JSON.stringify([...ids]);
}

/** Returns the parts of a split, or null if one of them would be empty or have another sign. */
function partsOf(
  row: NewTransaction,
  split: readonly PartAction[],
  known: KnownRecords,
): RulePart[] | null {
  const total = BigInt(Math.abs(row.amount));
  const sizes = split.slice(0, -1).map((part) => sizeOf(part, total, row.currency));
  const rest = sizes.reduce((left, size) => left - size, total);
  if (rest <= 0n || sizes.includes(0n)) return null;
  return split.map((part, at) => {
    const size = Number(sizes[at] ?? rest);
    const { payee, notes } = part;
    const category_id = categoryOf(part, known);
    return {
      amount: row.amount < 0 ? -size : size,
      ...(payee !== undefined && { payee }),
      ...(category_id !== null && { category_id }),
      ...(notes !== undefined && { notes }),
    };
  });
}

const places = 4;
const whole = 1_000_000n;

function sizeOf({ amount, percentage = 0 }: PartAction, total: bigint, currency: string): bigint {
  if (amount !== undefined) return BigInt(amount);
  const digits = (currencies as Readonly<Record<string, number>>)[currency] ?? places;
  const unit = 10n ** BigInt(Math.max(0, places - digits));
  return divideHalfToEven(total * BigInt(percentage), whole * unit) * unit;
}
