import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import {
  ApiError,
  ArgumentError,
  DependentsError,
  IncompleteError,
  NetworkError,
} from '../index.ts';
import type { TransactionInsert } from '../index.ts';
import { clientOf, type Received } from '../testing/client-bench.ts';
import { divide } from './transactions.ts';
import { runs } from '../../../core/src/testing/length.ts';

const unavailable = (): Response =>
  Response.json({ message: 'Unavailable', errors: [] }, { status: 503 });

describe('a POST of a method', () => {
  test('has a random key, which its retries keep and another call does not have', async () => {
    const { client, requests, clock } = clientOf((_, place) =>
      place < 2 ? unavailable() : Response.json({ id: 1 }, { status: 201 }),
    );
    await clock.run(client.tags.create({ name: 'a' }));
    await clock.run(client.tags.create({ name: 'a' }));
    const [first, ...others] = requests.map(({ key }) => key ?? '');
    assert.match(first!, /^[0-9a-f]{32}$/);
    assert.deepEqual(others.slice(0, 2), [first, first]);
    assert.equal(others.length, 3);
    assert.notEqual(others[2], first);
  });

  test('is retried when an equal request is still under way, but not for another conflict', async () => {
    const conflict = (headers: Record<string, string>): Response =>
      Response.json({ message: 'Conflict', errors: [] }, { status: 409, headers });
    const busy = clientOf((_, place) =>
      place === 0 ? conflict({ 'Retry-After': '1' }) : Response.json({ id: 4 }),
    );
    await busy.clock.run(busy.client.crypto.synced.refresh(4));
    assert.equal(busy.requests.length, 2);
    const other = clientOf(() => conflict({}));
    await assert.rejects(other.clock.run(other.client.crypto.synced.refresh(4)), ApiError);
    assert.equal(other.requests.length, 1);
  });

  for (const options of [
    { idempotencyKeys: false },
    { baseUrl: 'https://api.lunchmoney.dev/v2' },
    { baseUrl: 'https://lunchmoney.dev' },
  ]) {
    test(`has no key and is not retried with ${JSON.stringify(options)}`, async () => {
      const { client, requests, clock } = clientOf(unavailable, options);
      await assert.rejects(clock.run(client.tags.create({ name: 'a' })), ApiError);
      assert.deepEqual([requests.length, requests[0]?.key], [1, undefined]);
    });
  }

  test('only requests of POST methods have keys', async () => {
    const { client, requests } = clientOf(() => Response.json({ id: 1 }));
    await client.tags.update(1, { name: 'a' });
    await client.tags.delete(1);
    await client.tags.get(1);
    await client.request({ method: 'POST', path: '/tags', body: {} });
    assert.equal(requests.length, 4);
    for (const { key } of requests) assert.equal(key, undefined);
  });
});

test("Coffer's own operations are at /coffer in the place of /v2", async () => {
  for (const [baseUrl, path] of [
    ['http://127.0.0.1', '/coffer/rules/7'],
    ['http://127.0.0.1/v2/', '/coffer/rules/7'],
    ['http://127.0.0.1/coffer', '/coffer/coffer/rules/7'],
    ['http://127.0.0.1/coffer/v2', '/coffer/coffer/rules/7'],
  ] as const) {
    const { client, requests } = clientOf(() => Response.json({ id: 7 }), { baseUrl });
    await client.coffer.rules.get(7);
    await client.request({ api: 'coffer', path: '/rules/7' });
    for (const request of requests) assert.equal(request.path, path);
    assert.equal(requests.length, 2);
  }
});

describe('many transactions', () => {
  const rows = (count: number): TransactionInsert[] =>
    Array.from({ length: count }, (_, place) => ({ date: '2026-01-01', amount: String(place) }));
  interface Body {
    readonly transactions: { readonly amount: string }[];
    readonly skip_duplicates?: boolean;
  }
  const bodyOf = ({ body }: Received): Body => JSON.parse(body as string) as Body;

  test('are divided: every item once and in order, at most 500 and a megabyte', () => {
    const sizes = fc.array(fc.oneof(fc.nat(100), fc.nat(400_000)), { maxLength: 40 });
    const property = fc.property(sizes, fc.nat(1200), (lengths, more) => {
      const items = [
        ...lengths.map((length) => 'x'.repeat(length)),
        ...Array.from({ length: more }, () => ''),
      ];
      const parts = divide(items);
      assert.deepEqual(
        parts.flatMap((part) => part.items),
        items,
      );
      let start = 0;
      for (const part of parts) {
        assert.equal(part.start, start);
        start += part.items.length;
        assert.ok(part.items.length >= 1 && part.items.length <= 500);
        assert.ok(JSON.stringify(part.items).length <= 1_000_002 || part.items.length === 1);
      }
      assert.ok(parts.length <= 1 + more / 500 + lengths.length);
    });
    fc.assert(property, { numRuns: runs(30) });
    assert.equal(divide(rows(1000)).length, 2);
    assert.equal(divide(['é'.repeat(300_000), 'é'.repeat(300_000)]).length, 2);
  });

  test('are created in requests of 500 with a key each; positions count from the first row', async () => {
    const { client, requests } = clientOf((request) => {
      const skip = { reason: 'duplicate_external_id', existing_transaction_id: 1 };
      const [first] = bodyOf(request).transactions;
      const skipped = { ...skip, request_transactions_index: 3, request_transaction: first };
      const transactions = [{ id: 1 + Number(first?.amount) }];
      return Response.json({ transactions, skipped_duplicates: [skipped] }, { status: 201 });
    });
    const result = await client.transactions.create(rows(1001), { skip_duplicates: true });
    const bodies = requests.map(bodyOf);
    assert.deepEqual(
      bodies.map(({ transactions }) => transactions.length),
      [500, 500, 1],
    );
    assert.ok(bodies.every((body) => body.skip_duplicates === true));
    assert.equal(new Set(requests.map(({ key }) => key)).size, 3);
    assert.deepEqual(
      result.transactions.map(({ id }) => id),
      [1, 501, 1001],
    );
    assert.deepEqual(
      result.skipped_duplicates.map((skip) => skip.request_transactions_index),
      [3, 503, 1003],
    );
  });

  test('without any, nothing is sent', async () => {
    const { client, requests } = clientOf(unavailable);
    const empty = { transactions: [], skipped_duplicates: [] };
    assert.deepEqual(await client.transactions.create([]), empty);
    assert.deepEqual(await client.transactions.updateMany([]), []);
    await client.transactions.deleteMany([]);
    assert.deepEqual(requests, []);
  });

  test('the error of a later request says how many items were written', async () => {
    const broken = clientOf((_, place) => {
      if (place === 2) throw new Error('no network');
      return new Response(null, { status: 204 });
    });
    const ids = Array.from({ length: 1200 }, (_, place) => place + 1);
    await assert.rejects(broken.client.transactions.deleteMany(ids), (error) => {
      assert.ok(error instanceof IncompleteError);
      assert.equal(error.completed, 1000);
      assert.ok(error.cause instanceof NetworkError);
      return true;
    });
    const refused = clientOf(() => Response.json({ message: 'No', errors: [] }, { status: 400 }));
    await assert.rejects(refused.client.transactions.create(rows(1200)), ApiError);
    assert.equal(refused.requests.length, 1);
  });
});

describe('an attachment', () => {
  const formOf = async ({ body, type }: Received): Promise<FormData> =>
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- a small form of our own
    await new Response(body, { headers: { 'Content-Type': type! } }).formData();

  test('is a form, equal in every attempt', async () => {
    const { client, requests, clock } = clientOf((_, place) =>
      place === 0 ? unavailable() : Response.json({ id: 1 }, { status: 201 }),
    );
    const file = new Uint8Array([0, 255, 13, 10]);
    const attachment = { file, name: 'a "b".png', type: 'image/png', notes: 'é' };
    await clock.run(client.transactions.attach(7, attachment));
    const [first, second] = requests;
    assert.deepEqual(first, second);
    assert.equal(first!.path, '/v2/transactions/7/attachments');
    const form = await formOf(first!);
    const sent = form.get('file') as File;
    assert.deepEqual([sent.name, sent.type, form.get('notes')], ['a "b".png', 'image/png', 'é']);
    assert.deepEqual(new Uint8Array(await sent.arrayBuffer()), file);
  });

  test('has the name and the type of a File, unless others are given', async () => {
    const { client, requests } = clientOf(() => Response.json({ id: 1 }));
    const file = new File(['x'], 'own.pdf', { type: 'application/pdf' });
    await client.transactions.attach(7, { file });
    await client.transactions.attach(7, { file, name: 'other', type: 'image/png' });
    await client.transactions.attach(7, { file: new Blob(['x']) });
    const sent = await Promise.all(requests.map(formOf));
    assert.deepEqual(
      sent.map((form) => form.get('file') as File).map(({ name, type }) => [name, type]),
      [
        ['own.pdf', 'application/pdf'],
        ['other', 'image/png'],
        ['file', 'application/octet-stream'],
      ],
    );
    assert.ok(sent.every((form) => !form.has('notes')));
  });
});

const tagDependents = { tag_name: 'Road trip', dependents: { rules: 0, transactions: 12 } };
const dependents = {
  budget: 1,
  category_rules: 0,
  transactions: 3,
  children: 0,
  recurring: 0,
  plaid_cats: 0,
};
const categoryDependents = { category_name: 'Food', dependents };

const refusal = (body: object) => () => Response.json(body, { status: 422 });

describe('a record that others depend on', () => {
  test('is a DependentsError with the counts', async () => {
    const { client } = clientOf(refusal(tagDependents));
    await assert.rejects(client.tags.delete(4), (error) => {
      assert.ok(error instanceof DependentsError && error instanceof ApiError);
      assert.deepEqual(
        [error.name, error.status, error.body],
        ['DependentsError', 422, tagDependents],
      );
      assert.equal(
        error.message,
        'DELETE http://127.0.0.1/v2/tags/4: status 422: ' +
          'records depend on it (transactions: 12) (1 attempt)',
      );
      return true;
    });
    const food = clientOf(refusal(categoryDependents)).client;
    await assert.rejects(food.categories.delete(2), {
      body: categoryDependents,
      reason: 'records depend on it (budget: 1, transactions: 3)',
    });
  });

  test('is a plain ApiError when a 422 has another body', async () => {
    for (const body of [{ message: 'No', errors: [{ errMsg: 'Not so.' }] }, { dependents: 3 }]) {
      const { client } = clientOf(refusal(body));
      await assert.rejects(client.tags.delete(4), { name: 'ApiError', status: 422 });
    }
  });
});

for (const resource of ['tags', 'categories'] as const)
  test(`neither an update nor a deletion of ${resource} is sent again, and ids are checked`, async () => {
    const { client, requests, clock } = clientOf(unavailable);
    const records = client[resource] as typeof client.tags;
    await assert.rejects(clock.run(records.update(4, { name: 'a' })), ApiError);
    await assert.rejects(clock.run(records.delete(4, { force: true })), ApiError);
    await assert.rejects(records.delete(0), ArgumentError);
    assert.deepEqual(
      requests.map(({ method, path }) => `${method} ${path}`),
      [`PUT /v2/${resource}/4`, `DELETE /v2/${resource}/4?force=true`],
    );
  });
