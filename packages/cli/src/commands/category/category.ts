import { listCategories, maxCategoryNameLength, renameCategory } from '@coffer/server';
import type { Command } from 'commander';
import { addBookOptions, withBook } from '../../book.ts';
import type { BookOptions } from '../../book.ts';
import { choose } from '../../choose.ts';
import { writeLine } from '../../context.ts';
import type { CommandContext, JsonOption } from '../../context.ts';
import { readName } from '../../options.ts';
import { addListOption, subcommand } from '../../subcommand.ts';
import { quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';

type ListOptions = BookOptions & JsonOption;

/** `coffer category list` and `rename`. */
export function define(category: Command, context: CommandContext): void {
  const order = 'Each group comes before its members.';
  const list = subcommand(category, 'list', 'list the categories and groups of a book', order);
  addBookOptions(addListOption(list)).action((options: ListOptions) =>
    printCategories(options, context),
  );
  const rename = subcommand(category, 'rename', 'rename a category or category group')
    .argument('<category>', 'id or name of the category')
    .argument('<name>', 'new name, unique among the categories and groups of the book');
  addBookOptions(rename).action((which: string, name: string, options: BookOptions) =>
    changeName(which, name, options, context),
  );
}

async function printCategories(options: ListOptions, context: CommandContext): Promise<void> {
  const categories = await withBook(options, context, (database, { id }) =>
    database.readStatement(() => listCategories(id)),
  );
  const records = categories.map(({ children: _, ...category }) => category);
  const keys = ['id', 'name', 'is_group', 'group_id', 'archived_at'] as const;
  writeList(records, 'There are no categories', options, context, keys);
}

async function changeName(
  which: string,
  text: string,
  options: BookOptions,
  context: CommandContext,
): Promise<void> {
  const name = readName('The new name', text, maxCategoryNameLength);
  await withBook(options, context, async (database, book) => {
    const categories = await database.readStatement(() => listCategories(book.id));
    const choices = categories.map((each) => ({ ...each, names: [each.name] }));
    const nouns = ['category', 'categories'] as const;
    const category = choose(choices, which, `The book ${quote(book.name)}`, nouns);
    await database.write(() => renameCategory(book.id, category.id, name));
    writeLine(context.stderr, `Renamed the category ${quote(category.name)} to ${quote(name)}`);
  });
}
