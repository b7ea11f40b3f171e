import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { createCategory, listCategories, renameCategory } from './actions.ts';

onEngines('categories of a command', (open) => {
  it('are listed by name, each group before its members, and renamed to a free name', async () => {
    const [book, other] = [await open(), await open()];
    const { id: zoo } = await book.change(function* (change) {
      const children = ['Rent', 'Gas'];
      yield* createCategory(change, { name: 'Home', is_group: true, children });
      return yield* createCategory(change, { name: 'Zoo' });
    });
    const names = async () => pick(await book.read(() => listCategories(book.id)), 'name');
    assert.deepEqual(await names(), ['Home', 'Gas', 'Rent', 'Zoo']);
    await book.write(() => renameCategory(book.id, zoo, 'Attic'));
    assert.deepEqual(await names(), ['Attic', 'Home', 'Gas', 'Rent']);
    assert.deepEqual(await book.operations(2), ['category rename']);
    const errMsg = "Category with name 'home' already exists";
    const taken = ({ details }: { details: { errMsg: string }[] }) => details[0]!.errMsg === errMsg;
    await assert.rejects(
      book.write(() => renameCategory(book.id, zoo, 'home')),
      taken,
    );
    const unknown = { kind: 'recordNotFound' };
    await assert.rejects(
      book.write(() => renameCategory(other.id, zoo, 'X')),
      unknown,
    );
    assert.deepEqual(await book.operations(3), []);
  });
});
