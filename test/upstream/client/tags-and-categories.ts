import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, payeesOf, smallBook } from '../../service/small-book.ts';
import { errorOf, type StartedClient } from './started-client.ts';

/** Tests every method of tags and categories. */
export function testTagsAndCategories({ client }: StartedClient): void {
  test('it creates, gets, lists, updates and deletes tags', async () => {
    const made = await client.tags.create({ name: 'By the client', text_color: 'FFF' });
    assert.deepEqual([made.name, made.text_color, made.archived], ['By the client', 'FFF', false]);
    assert.deepEqual(await client.tags.get(made.id), made);
    assert.deepEqual((await client.tags.getAll()).at(-1), made);
    const { archived_at: archivedAt } = await client.tags.update(made.id, { archived: true });
    assert.ok(typeof archivedAt === 'string');
    const whole = await client.tags.update(made.id, { ...made, description: 'Sent back' });
    assert.deepEqual(whole, { ...made, description: 'Sent back', updated_at: whole.updated_at });
    await client.tags.delete(made.id);
    assert.equal((await client.tags.getAll()).length, smallBook.tags.length);
  });

  test('it creates, gets, updates and deletes categories and groups', async () => {
    const member = await client.categories.create({ name: 'Made', is_income: true });
    const group = await client.categories.create({
      name: 'Made group',
      is_group: true,
      children: [member.id, 'Made by name'],
    });
    assert.deepEqual(
      group.children?.map(({ name }) => name),
      ['Made', 'Made by name'],
    );
    assert.deepEqual(await client.categories.get(group.id), group);
    const left = await client.categories.update(group.id, { children: [member.id] });
    assert.deepEqual(
      left.children?.map(({ id }) => id),
      [member.id],
    );
    const changed = await client.categories.update(member.id, { group_id: null, description: 'x' });
    assert.deepEqual([changed.group_id, changed.description], [null, 'x']);
    for (const { id } of [group, member, group.children[1]!]) await client.categories.delete(id);
    const all = await client.categories.getAll({ format: 'flattened' });
    assert.equal(all.length, smallBook.categories.length);
  });

  test('it gets the dependents of a group and a category, and deletes both by force', async () => {
    const [, home] = await client.categories.getAll();
    const none = { budget: 0, category_rules: 0, recurring: 0, plaid_cats: 0 };
    const ofGroup = await errorOf(client.categories.delete(home!.id));
    assert.equal(ofGroup.status, 422);
    assert.deepEqual(ofGroup.data, {
      category_name: 'Home',
      dependents: { ...none, transactions: 0, children: 2 },
    });
    await client.categories.delete(home!.id, { force: true });
    const power = home!.children![0]!;
    const held = payeesOf(({ category }) => category === at.power).length;
    const ofMember = await errorOf(client.categories.delete(power.id));
    assert.deepEqual(ofMember.data, {
      category_name: 'Power',
      dependents: { ...none, transactions: held, children: 0 },
    });
    await client.categories.delete(power.id, { force: true });
    assert.equal((await errorOf(client.categories.get(power.id))).status, 404);
  });
}
