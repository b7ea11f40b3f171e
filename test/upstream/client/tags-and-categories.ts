import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smallBook } from '../../service/small-book.ts';
import { errorOf, type StartedClient } from './started-client.ts';

/** Tests every method of tags and categories. */
export function testTagsAndCategories({ client }: StartedClient): void {
  test('it creates, gets, lists, updates and deletes tags', async () => {
    const made = await client.tags.create({ name: 'By the client', text_color: 'FFF' });
    assert.deepEqual([made.name, made.text_color, made.archived], ['By the client', 'FFF', false]);
    assert.deepEqual(await client.tags.get(made.id), made);
    assert.deepEqual((await client.tags.getAll()).at(-1), made);
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
    await client.categories.update(group.id, { children: [member.id] });
    const changed = await client.categories.update(member.id, { group_id: null, description: 'x' });
    assert.deepEqual([changed.group_id, changed.description], [null, 'x']);
    for (const { id } of [group, member, group.children[1]!]) await client.categories.delete(id);
    const all = await client.categories.getAll({ format: 'flattened' });
    assert.equal(all.length, smallBook.categories.length);
  });

  test('it deletes a group with members by force', async () => {
    const group = await client.categories.create({ name: 'G', is_group: true, children: ['M'] });
    assert.equal((await errorOf(client.categories.delete(group.id))).status, 422);
    await client.categories.delete(group.id, { force: true });
    assert.equal((await client.categories.get(group.children![0]!.id)).group_id, null);
  });
}
