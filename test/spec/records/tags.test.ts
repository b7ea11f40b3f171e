import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newName, withBody } from '../../service/json-requests.ts';
import { payeesOf } from '../../service/small-book.ts';
import { payees, startService } from '../../service/started-service.ts';

const service = await startService();
after(() => service.close());

interface Tag {
  readonly id: number;
  readonly name: string;
  readonly archived_at: string | null;
  readonly updated_at: string;
  readonly [key: string]: unknown;
}

async function send(method: string, path: string, body: object): Promise<Tag> {
  const { status, text } = await service.ask(`/v2/tags${path}`, withBody(method, body));
  assert.ok(status === 200 || status === 201, text);
  return JSON.parse(text) as Tag;
}

test('a color has three or six hexadecimal digits, with or without a number sign', async () => {
  const tag = await send('POST', '', {
    name: newName(),
    text_color: '#333',
    background_color: 'CFF4f3',
  });
  assert.deepEqual([tag['text_color'], tag['background_color']], ['333', 'CFF4f3']);
  for (const color of ['', '#', '12', '1234', 'GGG', 'red', '#FFFFFFF', 7]) {
    const body = { name: newName(), text_color: color };
    const { status } = await service.ask('/v2/tags', withBody('POST', body));
    assert.equal(status, 400, String(color));
  }
});

test('archiving sets archived_at, and restoring clears it', async () => {
  const { id } = await send('POST', '', { name: newName() });
  const update = (body: object) => send('PUT', `/${id}`, body);
  const archived = await update({ archived: true });
  assert.deepEqual([archived['archived'], archived.archived_at], [true, archived.updated_at]);
  const again = await update({ archived: true, description: 'x' });
  assert.equal(again.archived_at, archived.archived_at);
  assert.equal((await update({ archived: false })).archived_at, null);
  const since = '2020-01-02T03:04:05.000Z';
  assert.equal((await update({ archived_at: since })).archived_at, since);
});

test('a tag of transactions is deleted only with force: then they lose it and keep others', async () => {
  const { text } = await service.ask('/v2/tags');
  const [{ id }] = (JSON.parse(text) as { tags: [Tag] }).tags;
  const remove = (query: string) =>
    service.ask(`/v2/tags/${id}${query}`, { method: 'DELETE' }).then(({ status }) => status);
  const tagged = payeesOf(({ tags }) => tags.includes(0));
  for (const query of ['', '?force=false']) assert.equal(await remove(query), 422);
  assert.equal(await remove('?force=yes'), 400);
  const everything = 'include_group_children=true&include_split_parents=true';
  const before = await service.list(everything);
  assert.deepEqual(payees(await service.list(`tag_id=${id}&${everything}`)), tagged);
  assert.equal(await remove('?force=true'), 204);
  const { transactions } = await service.list(everything);
  for (const [place, row] of transactions.entries()) {
    const { tag_ids, updated_at, ...rest } = before.transactions[place]!;
    const left = (tag_ids as number[]).filter((each) => each !== id);
    assert.deepEqual(row['tag_ids'], left);
    assert.equal(row['updated_at'] !== updated_at, tagged.includes(row.payee));
    assert.deepEqual({ ...row, ...rest }, row);
  }
  assert.deepEqual((await service.list(`tag_id=${id}&${everything}`)).transactions, []);
});
