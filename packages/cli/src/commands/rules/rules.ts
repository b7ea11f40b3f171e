import { isCalendarDate } from '@coffer/core/dates';
import {
  addRule,
  dropRule,
  namesForRules,
  putRulesFirst,
} from '@coffer/server/src/ledger/rules/commands.ts';
import { listRules } from '@coffer/server/src/ledger/rules/actions.ts';
import { previewRules } from '@coffer/server/src/ledger/rules/examine.ts';
import type { Book } from '@coffer/server/src/operations/caller.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { Rule } from '@coffer/server/src/ledger/rules/schema.ts';
import type { Command } from 'commander';
import { addBookOptions, withBook } from '../book.ts';
import type { BookOptions } from '../book.ts';
import { choose } from '../choose.ts';
import { writeLine, writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import { Misuse } from '../../terminal/failure.ts';
import { addListOption, subcommand } from '../subcommand.ts';
import { count, quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { describeActions, describeConditions, describeDifference } from './describe.ts';
import { readRule } from './read-rule.ts';
import type { RuleOptions } from './read-rule.ts';

type ListOptions = BookOptions & JsonOption;
type PreviewOptions = ListOptions &
  Readonly<Partial<Record<'transactions' | 'start' | 'end', string>>>;

const maxExamined = 1000;

/** `coffer rules list`, `add`, `remove`, `order` and `preview`. */
export function define(rules: Command, context: CommandContext): void {
  const inOrder = 'In the order in which they apply.';
  const list = addListOption(subcommand(rules, 'list', 'list the rules of a book', inOrder));
  addBookOptions(list).action((options: ListOptions) => printRules(options, context));
  defineAdd(rules, context);
  const remove = subcommand(rules, 'remove', 'remove a rule').argument(
    '<rule>',
    'id or name of the rule',
  );
  addBookOptions(remove).action((which: string, options: BookOptions) =>
    removeRule(which, options, context),
  );
  const others = 'The other rules follow in their present order.';
  const order = subcommand(rules, 'order', 'put rules first', others).argument(
    '<rules...>',
    'ids or names of the rules that come first',
  );
  addBookOptions(order).action((which: string[], options: BookOptions) =>
    orderRules(which, options, context),
  );
  const unchanged = 'Changes nothing.';
  const preview = subcommand(rules, 'preview', 'show what rules would have changed', unchanged)
    .argument('[rule]', 'id or name of the only rule; by default all')
    .option('--transactions <number>', 'how many transactions, the latest first; 100 by default')
    .option('--start <date>', 'first date of the transactions')
    .option('--end <date>', 'last date of the transactions');
  addBookOptions(addListOption(preview)).action(
    (which: string | undefined, options: PreviewOptions) => printPreview(which, options, context),
  );
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
  addBookOptions(add).action((options: RuleOptions & ListOptions) => createRule(options, context));
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

async function printRules(options: ListOptions, context: CommandContext): Promise<void> {
  await withBook(options, context, async (database, { id: bookId }) => {
    const [rules, names] = await database.read(function* () {
      return [yield* listRules(bookId), yield* namesForRules(bookId)] as const;
    });
    const rows = rules.map((rule) => {
      const { id, name } = rule;
      return { id, name, if: describeConditions(rule, names), then: describeActions(rule, names) };
    });
    writeList(options.json === true ? rules : rows, 'There are no rules', options, context);
  });
}

async function createRule(
  options: RuleOptions & ListOptions,
  context: CommandContext,
): Promise<void> {
  await withBook(options, context, async (database, book) => {
    const names = await database.read(() => namesForRules(book.id));
    const rule = readRule(options, names, ownerOf(book));
    const made = await database.write(() => addRule(book.id, rule));
    const sentence = `Added the rule ${quote(made.name)} (id ${made.id}) to the book ${quote(book.name)}`;
    writeResult(context, options, made, sentence);
  });
}

async function removeRule(
  which: string,
  options: BookOptions,
  context: CommandContext,
): Promise<void> {
  await withBook(options, context, async (database, book) => {
    const { id, name } = await chooseRule(database, book, which);
    await database.write(() => dropRule(book.id, id));
    writeLine(context.stderr, `Removed the rule ${quote(name)}`);
  });
}

async function orderRules(
  which: readonly string[],
  options: BookOptions,
  context: CommandContext,
): Promise<void> {
  await withBook(options, context, async (database, book) => {
    const ids: number[] = [];
    for (const each of which) ids.push((await chooseRule(database, book, each)).id);
    const ordered = await database.write(() => putRulesFirst(book.id, ids));
    const shown = ordered.map(({ id, name }) => `${id} ${quote(name)}`).join(', ');
    writeLine(context.stderr, `The order is now: ${shown}`);
  });
}

async function printPreview(
  which: string | undefined,
  options: PreviewOptions,
  context: CommandContext,
): Promise<void> {
  const scope = {
    ...readDate('--start', 'start_date', options.start),
    ...readDate('--end', 'end_date', options.end),
    ...readTransactions(options.transactions),
  };
  await withBook(options, context, async (database, book) => {
    const rule =
      which === undefined ? {} : { rule_id: (await chooseRule(database, book, which)).id };
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

async function chooseRule(database: Engine, book: Book, which: string): Promise<Rule> {
  const rules = await database.readStatement(() => listRules(book.id));
  const choices = rules.map((rule) => ({ ...rule, names: [rule.name] }));
  return choose(choices, which, ownerOf(book), ['rule', 'rules']);
}

function ownerOf({ name }: Book): string {
  return `The book ${quote(name)}`;
}

function readDate<K extends string>(
  flag: string,
  key: K,
  text: string | undefined,
): Partial<Record<K, string>> {
  if (text === undefined) return {};
  if (isCalendarDate(text)) return { [key]: text } as Record<K, string>;
  throw new Misuse(`${flag}: ${quote(text)} is not a date. Use YYYY-MM-DD`);
}

function readTransactions(text: string | undefined): { transactions?: number } {
  if (text === undefined) return {};
  const transactions = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : maxExamined + 1;
  if (transactions <= maxExamined) return { transactions };
  throw new Misuse(`--transactions: ${quote(text)} is not a number from 1 to ${maxExamined}`);
}
