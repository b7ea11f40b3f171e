import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, payeesOf, smallBook } from '../../service/small-book.ts';
import { errorOf, refusal, type StartedClient } from './started-client.ts';

/** Tests every method of tags and categories. */
export function testTagsAndCategories({ client }: StartedClient): void {
  const noTag = [404, 'Not Found', ['There is no tag with the id: 987654.']];
  const noCategory = [404, 'Not Found', ['There is no category with the id: 987654.']];

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

  test('it gets the reason why a tag is refused: 400 and 404', async () => {
    const [first, second] = await client.tags.getAll();
    const taken = [400, 'Invalid Request Body', [`Tag with name '${first!.name}' already exists`]];
    assert.deepEqual(await refusal(client.tags.create({ name: first!.name })), taken);
    assert.deepEqual(await refusal(client.tags.update(second!.id, { name: first!.name })), taken);
    assert.equal((await errorOf(client.tags.update(first!.id, {}))).status, 400);
    assert.equal((await errorOf(client.tags.create({ name: '' }))).status, 400);
    assert.deepEqual(await refusal(client.tags.get(987_654)), noTag);
    assert.deepEqual(await refusal(client.tags.update(987_654, { name: 'x' })), noTag);
    assert.deepEqual(await refusal(client.tags.delete(987_654)), noTag);
    assert.deepEqual(await refusal(client.tags.delete(987_654, { force: true })), noTag);
  });

  test('it gets the dependents of a tag, and deletes it by force', async () => {
    const tag = (await client.tags.getAll()).find(({ name }) => name === 'work');
    const held = payeesOf(({ tags }) => tags.includes(1)).length;
    const { status, data } = await errorOf(client.tags.delete(tag!.id, { force: false }));
    assert.equal(status, 422);
    const dependents = { rules: 0, transactions: held };
    assert.deepEqual(data, { tag_name: 'work', dependents });
    await client.tags.delete(tag!.id, { force: true });
    assert.equal((await errorOf(client.tags.get(tag!.id))).status, 404);
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

  test('it gets the reason why a category is refused: 400 and 404', async () => {
    const [salary, home] = await client.categories.getAll();
    const taken = [400, 'Invalid Request Body', ["Category with name 'Home' already exists"]];
    assert.deepEqual(await refusal(client.categories.create({ name: 'Home' })), taken);
    const rename = client.categories.update(salary!.id, { name: 'Home' });
    assert.deepEqual(await refusal(rename), taken);
    const both = { name: 'Both', is_group: true, group_id: home!.id };
    assert.equal((await errorOf(client.categories.create(both))).status, 400);
    assert.equal((await errorOf(client.categories.update(salary!.id, {}))).status, 400);
    assert.deepEqual(await refusal(client.categories.get(987_654)), noCategory);
    assert.deepEqual(await refusal(client.categories.update(987_654, { name: 'x' })), noCategory);
    assert.deepEqual(await refusal(client.categories.delete(987_654)), noCategory);
    assert.deepEqual(await refusal(client.categories.delete(987_654, { force: true })), noCategory);
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
