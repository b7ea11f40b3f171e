import type { RuleInsert } from '@coffer/server/src/ledger/rules/schema.ts';
import type { RuleNames } from '@coffer/server/src/ledger/rules/commands.ts';
import { choose } from '../choose.ts';
import { Misuse } from '../../terminal/failure.ts';
import { readName } from '../options.ts';
import { quote } from '../../terminal/format.ts';

type Conditions = RuleInsert['conditions'];
type Actions = RuleInsert['actions'];
type Part = NonNullable<Actions['split']>[number];

/** The options of `coffer rules add`. */
export interface RuleOptions {
  readonly name: string;
  readonly payeeIs?: string;
  readonly payeeContains?: string;
  readonly payeeStartsWith?: string;
  readonly notesIs?: string;
  readonly notesContains?: string;
  readonly notesStartsWith?: string;
  readonly amount?: string;
  readonly amountMin?: string;
  readonly amountMax?: string;
  readonly debit?: true;
  readonly credit?: true;
  readonly account?: string;
  readonly category?: string;
  readonly setPayee?: string;
  readonly setCategory?: string;
  readonly addTag?: readonly string[];
  readonly setNotes?: string;
  readonly reviewed?: true;
  readonly unreviewed?: true;
  readonly exclude?: true;
  readonly split?: readonly string[];
  readonly stop?: true;
}

const maxNameLength = 100;
const maxPayeeLength = 140;
const maxNotesLength = 350;

/** Reads a rule from options; records are named by id or name. Throws a Failure or {@link Misuse}. */
export function readRule(options: RuleOptions, names: RuleNames, owner: string): RuleInsert {
  return {
    name: readName('--name', options.name, maxNameLength),
    conditions: readConditions(options, names, owner),
    actions: readActions(options, names, owner),
    stop: options.stop === true,
  };
}

function readConditions(options: RuleOptions, names: RuleNames, owner: string): Conditions {
  const { amount: equals, amountMin: min, amountMax: max, account, category } = options;
  const payee = readText('payee', options);
  const notes = readText('notes', options);
  const sign = readOneOf(options, ['debit', 'credit']);
  const amount = { ...defined({ equals, min, max }), ...(sign !== undefined && { sign }) };
  return {
    ...(payee !== undefined && { payee }),
    ...(notes !== undefined && { notes }),
    ...(Object.keys(amount).length > 0 && { amount }),
    ...(account !== undefined && readAccount(account, names, owner)),
    ...(category !== undefined && { category_id: chooseCategory(category, names, owner) }),
  };
}

const operators = [
  ['Is', 'is'],
  ['Contains', 'contains'],
  ['StartsWith', 'starts_with'],
] as const;

function readText(subject: 'payee' | 'notes', options: RuleOptions): Conditions['payee'] {
  const found = operators.flatMap(([ending, operator]) => {
    const value = options[`${subject}${ending}`];
    const flag = `--${subject}-${operator.replace('_', '-')}`;
    return value === undefined ? [] : [{ operator, value: readName(flag, value, maxNotesLength) }];
  });
  if (found.length > 1) throw new Misuse(`Use only one condition for the ${subject}`);
  return found[0];
}

/** Returns the flag of those that exclude each other. */
function readOneOf<F extends 'debit' | 'credit' | 'reviewed' | 'unreviewed'>(
  options: RuleOptions,
  flags: readonly F[],
): F | undefined {
  const set = flags.filter((flag) => options[flag] === true);
  if (set.length > 1)
    throw new Misuse(`Use only one of ${set.map((flag) => `--${flag}`).join(', ')}`);
  return set[0];
}

/** An account is a manual one, or else a synced one: both can have the same id. */
function readAccount(wanted: string, names: RuleNames, owner: string): Conditions {
  const { manualAccounts, plaidAccounts } = names;
  const ofKind = (kind: 'manual_account_id' | 'plaid_account_id') =>
    (kind === 'manual_account_id' ? manualAccounts : plaidAccounts).map((each) => ({
      ...each,
      kind,
    }));
  const all = [...ofKind('manual_account_id'), ...ofKind('plaid_account_id')];
  const { id, kind } = choose(all, wanted, owner, ['account', 'accounts']);
  return { [kind]: id };
}

function chooseCategory(wanted: string, { categories }: RuleNames, owner: string): number {
  return choose(categories, wanted, owner, ['category', 'categories']).id;
}

function readActions(options: RuleOptions, names: RuleNames, owner: string): Actions {
  const { setPayee, setNotes, setCategory, addTag = [], exclude, split } = options;
  const status = readOneOf(options, ['reviewed', 'unreviewed']);
  const tags = addTag.map((tag) => choose(names.tags, tag, owner, ['tag', 'tags']).id);
  return {
    ...(setPayee !== undefined && { payee: readName('--set-payee', setPayee, maxPayeeLength) }),
    ...(setCategory !== undefined && { category_id: chooseCategory(setCategory, names, owner) }),
    ...(tags.length > 0 && { tag_ids: tags }),
    ...(setNotes !== undefined && { notes: readName('--set-notes', setNotes, maxNotesLength) }),
    ...(status !== undefined && { reviewed: status === 'reviewed' }),
    ...(exclude === true && { exclude }),
    ...(split !== undefined && { split: split.map((part) => readPart(part, names, owner)) }),
  };
}

/** Reads a part such as `50%=Rent`, `12.50` or `rest=Food`. */
function readPart(text: string, names: RuleNames, owner: string): Part {
  const [, size = '', digits, percent, , category] =
    /^((\d+(?:\.\d{1,4})?)(%)?|rest)(=(.+))?$/.exec(text) ?? [];
  if (size === '')
    throw new Misuse(
      `--split: ${quote(text)} is not a part. Use an amount, a percentage or "rest", such as 12.50, 50%=Rent or rest`,
    );
  const key = percent === undefined ? 'amount' : 'percentage';
  return {
    ...(digits !== undefined && { [key]: digits }),
    ...(category !== undefined && { category_id: chooseCategory(category, names, owner) }),
  };
}

function defined<K extends string>(texts: Readonly<Partial<Record<K, string | undefined>>>) {
  const pairs = Object.entries<string | undefined>(texts);
  return Object.fromEntries(pairs.filter(([, text]) => text !== undefined)) as Partial<
    Record<K, string>
  >;
}
