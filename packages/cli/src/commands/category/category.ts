import { mergeCategories } from '@coffer/server/src/ledger/merge.ts';
import { listCategories, renameCategory } from '@coffer/server/src/ledger/categories/actions.ts';
import { maxCategoryNameLength } from '@coffer/server/src/operations/limits.ts';
import type { Command } from 'commander';
import { performOnBook, type OnBook } from '../book.ts';
import { choose, readName, addListOption, subcommand } from '../options.ts';
import { writeLine, type CommandContext, type JsonOption } from '../../terminal/context.ts';
import { quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';

/** `coffer category list`, `rename` and `merge`. */
export function define(category: Command, context: CommandContext): void {
  const order = 'Each group comes before its members.';
  const list = subcommand(category, 'list', 'list the categories and groups of a book', order);
  performOnBook(addListOption(list), context, printCategories);
  const rename = subcommand(category, 'rename', 'rename a category or category group')
    .argument('<category>', 'id or name of the category')
    .argument('<name>', 'new name, unique among the categories and groups of the book', (text) =>
      readName('The new name', text, maxCategoryNameLength),
    );
  performOnBook(rename, context, changeName);
  const moved =
    'Transactions, budgets, rules and recurring items of the first get the second. ' +
    'A group merges with a group only: its members move.';
  const merge = subcommand(category, 'merge', 'merge a category into another one', moved)
    .argument('<category>', 'id or name of the category or group, which is removed')
    .argument('<into>', 'id or name of the category or group that is kept');
  performOnBook(merge, context, mergeInto);
}

async function printCategories({ database, book, options, context }: OnBook<JsonOption>) {
  const categories = await database.readStatement(() => listCategories(book.id));
  const records = categories.map(({ children: _, ...category }) => category);
  const keys = ['id', 'name', 'is_group', 'group_id', 'archived_at'] as const;
  writeList(records, 'There are no categories', options, context, keys);
}

async function changeName(on: OnBook, which: string, name: string): Promise<void> {
  const [category] = await chooseCategories(on, which);
  await on.database.write(() => renameCategory(on.book.id, category!.id, name));
  writeLine(on.context.stderr, `Renamed the category ${quote(category!.name)} to ${quote(name)}`);
}

async function mergeInto(on: OnBook, which: string, into: string): Promise<void> {
  const [from, kept] = await chooseCategories(on, which, into);
  const moved = await on.database.write(() => mergeCategories(on.book.id, from!.id, kept!.id));
  const counts = [
    counted(moved.transactions, 'transaction'),
    counted(moved.children, 'member'),
    counted(moved.budget, 'budget'),
    counted(moved.category_rules, 'rule'),
    counted(moved.recurring, 'recurring item'),
  ].flat();
  const what = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  const names = `${quote(from!.name)} into ${quote(kept!.name)}`;
  writeLine(on.context.stderr, `Merged the category ${names}${what}`);
}

function counted(count: number, noun: string): string[] {
  return count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}`];
}

/** Returns the categories that the command line names, in their order. */
async function chooseCategories({ database, book, owner }: OnBook, ...wanted: readonly string[]) {
  const categories = await database.readStatement(() => listCategories(book.id));
  const choices = categories.map((each) => ({ ...each, names: [each.name] }));
  const nouns = ['category', 'categories'] as const;
  return wanted.map((each) => choose(choices, each, owner, nouns));
}
