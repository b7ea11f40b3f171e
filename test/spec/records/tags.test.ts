import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf, newName, withBody } from '../../service/good-requests.ts';
import { header, type Answer } from '../../service/http-exchange.ts';
import { payeesOf, smallBook } from '../../service/small-book.ts';
import { errorsOf, payees, startService } from '../../service/started-service.ts';

const service = await startService();
after(() => service.close());

interface Tag {
  readonly id: number;
  readonly name: string;
  readonly archived: boolean;
  readonly archived_at: string | null;
  readonly updated_at: string;
  readonly [key: string]: unknown;
}

const post = (body: unknown): Promise<Answer> => service.ask('/v2/tags', withBody('POST', body));
const put = (id: number, body: unknown): Promise<Answer> =>
  service.ask(`/v2/tags/${id}`, withBody('PUT', body));
const remove = (id: number, query = ''): Promise<Answer> =>
  service.ask(`/v2/tags/${id}${query}`, { method: 'DELETE' });
const tagIn = ({ text }: Answer): Tag => JSON.parse(text) as Tag;
const get = async (id: number): Promise<Tag> => tagIn(await service.ask(`/v2/tags/${id}`));

async function list(): Promise<Tag[]> {
  return (JSON.parse((await service.ask('/v2/tags')).text) as { tags: Tag[] }).tags;
}

async function made(body: object = {}): Promise<Tag> {
  const answer = await post({ name: newName(), ...body });
  assert.equal(answer.status, 201, answer.text);
  return tagIn(answer);
}

test('the list has every tag of the book by id, the same as alone', async () => {
  await made({ archived: true });
  const tags = await list();
  const names = smallBook.tags.map(({ name }) => name);
  assert.deepEqual(
    tags.slice(0, names.length).map(({ name }) => name),
    names,
  );
  assert.deepEqual(
    tags.map(({ id }) => id),
    tags.map(({ id }) => id).toSorted((a, b) => a - b),
  );
  for (const tag of tags) assert.deepEqual(await get(tag.id), tag);
});

test('creating a tag returns all of it, and the list has it', async () => {
  const name = newName();
  const { id, created_at, updated_at, ...rest } = await made({ name });
  assert.deepEqual(rest, {
    name,
    description: null,
    text_color: null,
    background_color: null,
    archived: false,
    archived_at: null,
  });
  assert.equal(created_at, updated_at);
  assert.deepEqual((await list()).at(-1), await get(id));
});

test('a color has three or six hexadecimal digits, with or without a number sign', async () => {
  const tag = await made({ text_color: '#333', background_color: 'CFF4f3' });
  assert.deepEqual([tag['text_color'], tag['background_color']], ['333', 'CFF4f3']);
  for (const color of ['', '#', '12', '1234', 'GGG', 'red', '#FFFFFFF', 7]) {
    const answer = await post({ name: newName(), text_color: color });
    assert.equal(answer.status, 400, String(color));
  }
});

test('names are unique, ignoring letter case, blanks around them and their Unicode form', async () => {
  const tag = await made({ name: 'Caf\u00e9 Crème' });
  const count = (await list()).length;
  for (const name of [tag.name, 'CAFÉ CRÈME', ' café crème ', 'Cafe\u0301 Cre\u0300me']) {
    const answer = await post({ name });
    assert.equal(answer.status, 400, name);
    const [error] = errorsOf(answer).errors;
    assert.equal(error?.['errMsg'], `Tag with name '${name}' already exists`);
    assert.equal(error['invalid_property'], 'name');
    const other = await made();
    assert.equal((await put(other.id, { name })).status, 400, name);
    assert.equal((await remove(other.id)).status, 204);
  }
  assert.equal((await list()).length, count);
  assert.equal(tagIn(await put(tag.id, { name: 'CAFÉ crème' })).name, 'CAFÉ crème');
});

test('all problems of a body are reported at once, and nothing is created', async () => {
  const before = await list();
  const answer = await post({
    name: ' ',
    colour: 1,
    archived: 'yes',
    description: 'x'.repeat(201),
  });
  assert.equal(answer.status, 400);
  const places = errorsOf(answer).errors.map(({ instancePath }) => instancePath);
  assert.deepEqual(places.toSorted(), [
    '/body',
    '/body/archived',
    '/body/description',
    '/body/name',
  ]);
  assert.deepEqual(await list(), before);
});

test('an update changes the properties sent, and accepts a whole tag', async () => {
  const tag = await made({ description: 'before', text_color: 'ABC' });
  const changed = tagIn(await put(tag.id, { description: 'after' }));
  assert.ok(changed.updated_at > tag.updated_at);
  assert.deepEqual(changed, { ...tag, description: 'after', updated_at: changed.updated_at });
  assert.deepEqual(await get(tag.id), changed);
  const whole = { ...changed, id: 1, created_at: 'x', updated_at: null, text_color: null };
  const again = tagIn(await put(tag.id, whole));
  const { updated_at } = again;
  assert.deepEqual(again, { ...changed, text_color: null, updated_at });
});

test('an update without changeable properties is 400; without differences it changes nothing', async () => {
  const tag = await made({ description: 'x' });
  for (const body of [{}, { id: tag.id }, { created_at: 'x', updated_at: 'x' }]) {
    assert.equal((await put(tag.id, body)).status, 400, JSON.stringify(body));
  }
  const mark = header(await service.ask('/v2/tags'), 'ETag');
  assert.deepEqual(tagIn(await put(tag.id, { description: 'x', archived: false })), tag);
  assert.equal(header(await service.ask('/v2/tags'), 'ETag'), mark);
  await put(tag.id, { description: 'y' });
  assert.notEqual(header(await service.ask('/v2/tags'), 'ETag'), mark);
});

test('archiving sets archived_at, and restoring clears it', async () => {
  const tag = await made();
  const archived = tagIn(await put(tag.id, { archived: true }));
  assert.deepEqual([archived.archived, archived.archived_at], [true, archived.updated_at]);
  const again = tagIn(await put(tag.id, { archived: true, description: 'x' }));
  assert.equal(again.archived_at, archived.archived_at);
  const open = tagIn(await put(tag.id, { archived: false }));
  assert.deepEqual([open.archived, open.archived_at], [false, null]);
  const since = '2020-01-02T03:04:05.000Z';
  assert.equal(tagIn(await put(tag.id, { archived_at: since })).archived_at, since);
});

test('a deleted tag is 404 for every method', async () => {
  const { id } = await made();
  assert.equal((await remove(id)).status, 204);
  assert.equal((await service.ask(`/v2/tags/${id}`)).status, 404);
  assert.equal((await put(id, { name: newName() })).status, 404);
  assert.equal((await remove(id)).status, 404);
  assert.equal((await remove(id, '?force=true')).status, 404);
});

test('a tag of transactions is deleted only with force: then they lose it and keep others', async () => {
  const [holiday] = await list();
  const tagged = payeesOf(({ tags }) => tags.includes(0));
  for (const query of ['', '?force=false']) {
    const refused = await remove(holiday!.id, query);
    assert.equal(refused.status, 422);
    assert.deepEqual(JSON.parse(refused.text), {
      tag_name: 'holiday',
      dependents: { rules: 0, transactions: tagged.length },
    });
  }
  assert.equal((await remove(holiday!.id, '?force=yes')).status, 400);
  const everything = 'include_group_children=true&include_split_parents=true';
  const before = await service.list(everything);
  const shown = await service.list(`tag_id=${holiday!.id}&${everything}`);
  assert.deepEqual(payees(shown), tagged);
  assert.equal((await remove(holiday!.id, '?force=true')).status, 204);
  const { transactions } = await service.list(everything);
  for (const [place, row] of transactions.entries()) {
    const { tag_ids, updated_at, ...rest } = before.transactions[place]!;
    const left = (tag_ids as number[]).filter((each) => each !== holiday!.id);
    assert.deepEqual(row['tag_ids'], left);
    assert.equal(row['updated_at'] !== updated_at, tagged.includes(row.payee));
    assert.deepEqual({ ...row, ...rest }, row);
  }
  const none = await service.list(`tag_id=${holiday!.id}&${everything}`);
  assert.deepEqual(none.transactions, []);
  assert.equal(idOf(await service.ask(`/v2/tags/${holiday!.id + 1}`)), holiday!.id + 1);
});
