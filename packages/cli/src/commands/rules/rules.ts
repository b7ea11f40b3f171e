import {
  addRule,
  dropRule,
  namesForRules,
  putRulesFirst,
  setRuleEnabled,
  type RuleNames,
} from '@coffer/server/src/ledger/rules/commands.ts';
import { listRules } from '@coffer/server/src/ledger/rules/actions.ts';
import { previewRules } from '@coffer/server/src/ledger/rules/examine.ts';
import { maxExamined } from '@coffer/server/src/ledger/rules/schema.ts';
import type { Rule, RulePreview, RuleInsert } from '@coffer/server/src/ledger/rules/schema.ts';
import type { Command } from 'commander';
import { addBookOptions, performOnBook, withBook, type BookOptions, type OnBook } from '../book.ts';
import {
  choose,
  addListOption,
  collect,
  subcommand,
  readName,
  readDate,
  perform,
} from '../options.ts';
import {
  writeLine,
  writeResult,
  type CommandContext,
  type JsonOption,
} from '../../terminal/context.ts';
import { Misuse } from '../../terminal/failure.ts';
import { count, quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';

type Conditions = RuleInsert['conditions'];
type Actions = RuleInsert['actions'];
type Part = NonNullable<Actions['split']>[number];

/** The options of `coffer rules add`. */
interface RuleOptions {
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
function readRule(options: RuleOptions, names: RuleNames, owner: string): RuleInsert {
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

type PreviewOptions = BookOptions &
  JsonOption &
  Readonly<Partial<Record<'transactions' | 'start' | 'end', string>>>;

/** `coffer rules list`, `add`, `remove`, `enable`, `disable`, `order` and `preview`. */
export function define(rules: Command, context: CommandContext): void {
  const inOrder = 'In the order in which they apply.';
  const list = addListOption(subcommand(rules, 'list', 'list the rules of a book', inOrder));
  performOnBook(list, context, printRules);
  defineAdd(rules, context);
  const remove = subcommand(rules, 'remove', 'remove a rule').argument(
    '<rule>',
    'id or name of the rule',
  );
  performOnBook(remove, context, removeRule);
  const notApplied = 'New transactions skip it until it is on again.';
  for (const [name, does, more] of [
    ['enable', 'turn a rule on'],
    ['disable', 'turn a rule off', notApplied],
  ] as const) {
    const turn = subcommand(rules, name, does, more).argument('<rule>', 'id or name of the rule');
    performOnBook(turn, context, turnTo(name === 'enable'));
  }
  const others = 'The other rules follow in their present order.';
  const order = subcommand(rules, 'order', 'put rules first', others).argument(
    '<rules...>',
    'ids or names of the rules that come first',
  );
  performOnBook(order, context, orderRules);
  const unchanged = 'Changes nothing.';
  const preview = subcommand(rules, 'preview', 'show what rules would have changed', unchanged)
    .argument('[rule]', 'id or name of the only rule; by default all')
    .option('--transactions <number>', 'how many transactions, the latest first; 100 by default')
    .option('--start <date>', 'first date of the transactions')
    .option('--end <date>', 'last date of the transactions');
  perform(addBookOptions(addListOption(preview)), context, printPreview);
}

function defineAdd(rules: Command, context: CommandContext): void {
  const last = 'It becomes the last one. All conditions must hold.';
  const add = subcommand(rules, 'add', 'add a rule for new transactions', last)
    .requiredOption('--name <text>', 'name of the rule')
    .option('--payee-is <text>', 'condition: the payee')
    .option('--payee-contains <text>', 'condition: a part of the payee')
    .option('--payee-starts-with <text>', 'condition: the beginning of the payee')
    .option('--notes-is <text>', 'condition: the notes')
    .option('--notes-contains <text>', 'condition: a part of the notes')
    .option('--notes-starts-with <text>', 'condition: the beginning of the notes')
    .option('--amount <amount>', 'condition: the amount, without its sign')
    .option('--amount-min <amount>', 'condition: the smallest amount, without its sign')
    .option('--amount-max <amount>', 'condition: the largest amount, without its sign')
    .option('--debit', 'condition: money out')
    .option('--credit', 'condition: money in')
    .option('--account <account>', 'condition: id or name of the account')
    .option('--category <category>', 'condition: id or name of the category')
    .option('--set-payee <text>', 'action: set the payee')
    .option('--set-category <category>', 'action: set the category')
    .option('--add-tag <tag>', 'action: add a tag; can be repeated', collect)
    .option('--set-notes <text>', 'action: set the notes')
    .option('--reviewed', 'action: mark as reviewed')
    .option('--unreviewed', 'action: mark as not reviewed')
    .option('--exclude', 'action: keep out of totals, by a category')
    .option('--split <part>', 'action: a part, such as 12.50, 50%=Rent or rest; repeated', collect)
    .option('--stop', 'later rules skip the transaction')
    .option('--json', 'print the result as a line of JSON');
  performOnBook(add, context, createRule);
}

async function printRules({ database, book, options, context }: OnBook<JsonOption>): Promise<void> {
  const [rules, names] = await database.read(function* () {
    return [yield* listRules(book.id), yield* namesForRules(book.id)] as const;
  });
  const rows = rules.map((rule) => {
    const { id, name } = rule;
    return { id, name, if: describeConditions(rule, names), then: describeActions(rule, names) };
  });
  writeList(options.json === true ? rules : rows, 'There are no rules', options, context);
}

async function createRule(on: OnBook<RuleOptions & JsonOption>): Promise<void> {
  const { database, book, owner, options, context } = on;
  const names = await database.read(() => namesForRules(book.id));
  const rule = readRule(options, names, owner);
  const made = await database.write(() => addRule(book.id, rule));
  const sentence = `Added the rule ${quote(made.name)} (id ${made.id}) to the book ${quote(book.name)}`;
  writeResult(context, options, made, sentence);
}

async function removeRule(on: OnBook, which: string): Promise<void> {
  const { id, name } = await chooseRule(on, which);
  await on.database.write(() => dropRule(on.book.id, id));
  writeLine(on.context.stderr, `Removed the rule ${quote(name)}`);
}

function turnTo(enabled: boolean): (on: OnBook, which: string) => Promise<void> {
  return async (on, which) => {
    const { id, name } = await chooseRule(on, which);
    await on.database.write(() => setRuleEnabled(on.book.id, id, enabled));
    writeLine(on.context.stderr, `The rule ${quote(name)} is ${enabled ? 'on' : 'off'}`);
  };
}

async function orderRules(on: OnBook, which: readonly string[]): Promise<void> {
  const ids: number[] = [];
  for (const each of which) ids.push((await chooseRule(on, each)).id);
  const ordered = await on.database.write(() => putRulesFirst(on.book.id, ids));
  const shown = ordered.map(({ id, name }) => `${id} ${quote(name)}`).join(', ');
  writeLine(on.context.stderr, `The order is now: ${shown}`);
}

async function printPreview(
  which: string | undefined,
  options: PreviewOptions,
  context: CommandContext,
): Promise<void> {
  const scope = {
    ...(options.start !== undefined && { start_date: readDate('--start', options.start) }),
    ...(options.end !== undefined && { end_date: readDate('--end', options.end) }),
    ...readTransactions(options.transactions),
  };
  await withBook(options, context, async (database, book) => {
    const on = { database, book, owner: `The book ${quote(book.name)}` };
    const rule = which === undefined ? {} : { rule_id: (await chooseRule(on, which)).id };
    const [{ examined, transactions }, names] = await database.read(function* () {
      return [
        yield* previewRules(book.id, { ...scope, ...rule }),
        yield* namesForRules(book.id),
      ] as const;
    });
    const rows = transactions.map((each) => {
      const { id, date, amount, before } = each;
      return { id, date, amount, payee: before.payee, change: describeDifference(each, names) };
    });
    const none = `Of ${count(examined, 'transaction')}, none would be different`;
    writeList(options.json === true ? transactions : rows, none, options, context);
  });
}

async function chooseRule(
  { database, book, owner }: Pick<OnBook, 'database' | 'book' | 'owner'>,
  which: string,
): Promise<Rule> {
  const rules = await database.readStatement(() => listRules(book.id));
  const choices = rules.map((rule) => ({ ...rule, names: [rule.name] }));
  return choose(choices, which, owner, ['rule', 'rules']);
}

function readTransactions(text: string | undefined): { transactions?: number } {
  if (text === undefined) return {};
  const transactions = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : maxExamined + 1;
  if (transactions <= maxExamined) return { transactions };
  throw new Misuse(`--transactions: ${quote(text)} is not a number from 1 to ${maxExamined}`);
}

type Previewed = RulePreview['transactions'][number];

/** Returns when a rule applies, in words, such as `payee contains "coffee", at most 20.0000`. */
function describeConditions({ conditions }: Rule, names: RuleNames): string {
  const {
    payee,
    notes,
    amount = {},
    category_id,
    manual_account_id,
    plaid_account_id,
  } = conditions;
  const { equals, min, max, sign } = amount;
  return joined([
    payee && `payee ${describeText(payee)}`,
    notes && `notes ${describeText(notes)}`,
    equals !== undefined && `amount ${equals}`,
    min !== undefined && `at least ${min}`,
    max !== undefined && `at most ${max}`,
    sign,
    manual_account_id && `account ${nameOf(names.manualAccounts, manual_account_id)}`,
    plaid_account_id && `account ${nameOf(names.plaidAccounts, plaid_account_id)}`,
    category_id && `category ${nameOf(names.categories, category_id)}`,
  ]);
}

/** Returns what a rule does, in words, such as `category "Food", reviewed`. */
function describeActions({ actions, stop, enabled }: Rule, names: RuleNames): string {
  const { payee, category_id, tag_ids = [], notes, reviewed, exclude, split } = actions;
  return joined([
    payee !== undefined && `payee ${quote(payee)}`,
    category_id !== undefined && `category ${nameOf(names.categories, category_id)}`,
    ...tag_ids.map((id) => `tag ${nameOf(names.tags, id)}`),
    notes !== undefined && `notes ${quote(notes)}`,
    reviewed !== undefined && (reviewed ? 'reviewed' : 'unreviewed'),
    exclude === true && 'exclude',
    split && `split into ${split.length}`,
    stop && 'stop',
    !enabled && 'off',
  ]);
}

/** Returns what rules would have changed of a transaction, in words. */
function describeDifference({ before, after, parts }: Previewed, names: RuleNames): string {
  const added = after.tag_ids.filter((id) => !before.tag_ids.includes(id));
  return joined([
    before.payee !== after.payee && `payee ${quote(after.payee)}`,
    before.category_id !== after.category_id &&
      after.category_id !== null &&
      `category ${nameOf(names.categories, after.category_id)}`,
    ...added.map((id) => `tag ${nameOf(names.tags, id)}`),
    before.notes !== after.notes && `notes ${quote(after.notes ?? '')}`,
    before.status !== after.status && after.status,
    parts && `split into ${parts.map(({ amount }) => amount).join(' + ')}`,
  ]);
}

function describeText({ operator, value }: NonNullable<Rule['conditions']['payee']>): string {
  return `${operator.replace('_', ' ')} ${quote(value)}`;
}

/** The name of a record, or its id if it does not exist. */
function nameOf(records: RuleNames['tags'], id: number): string {
  const [name] = records.find((each) => each.id === id)?.names ?? [];
  return name === undefined ? String(id) : quote(name);
}

function joined(parts: readonly (string | number | boolean | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string').join(', ');
}
