import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Transaction } from '../books/types.ts';
import { EditQueue, type Edit, type EditTransport } from './edits.ts';
import { ApiError, describeError } from './errors.ts';

/** A problem names the edit by its index, or by the path of the property. */
const named = (at: number): object =>
  at % 2 === 0 ? { transaction_index: at } : { instancePath: `/body/transactions/${at}/payee` };

/** A server that keeps payees, and refuses the payee "bad". */
function serverOf() {
  const stored = new Map<number, string>();
  const requests: (readonly Edit[])[] = [];
  const send = async (edits: readonly Edit[]): Promise<Transaction[]> => {
    requests.push(edits);
    const problems = edits.flatMap(({ values }, at) =>
      values.payee === 'bad' ? [{ errMsg: `transactions[${at}] is bad`, ...named(at) }] : [],
    );
    if (problems.length > 0) throw new ApiError(400, 'Bad request', problems);
    for (const { id, values } of edits) stored.set(id, values.payee ?? '');
    return edits.map(({ id }) => ({ id }) as Transaction);
  };
  const transport: EditTransport = {
    send,
    gathered: () => Promise.resolve(),
  };
  return { transport, stored, requests };
}

test('edits that are made together are one request, of at most 500', async () => {
  const { transport, requests, stored } = serverOf();
  const queue = new EditQueue(transport);
  await Promise.all(Array.from({ length: 1201 }, (_each, id) => queue.edit(id, { payee: 'x' })));
  const sizes = requests.map(({ length }) => length);
  assert.deepEqual(sizes, [500, 500, 201]);
  assert.equal(stored.size, 1201);
});

test('bad edits are refused alone with two requests for all', async () => {
  const edits = fc.array(fc.tuple(fc.nat(9), fc.constantFrom('a', 'b', 'c', 'bad')));
  await fc.assert(
    fc.asyncProperty(edits, async (given) => {
      const { transport, stored, requests } = serverOf();
      const queue = new EditQueue(transport);
      const outcomes = await Promise.allSettled(
        given.map(([id, payee]) => queue.edit(id, { payee })),
      );
      const last = new Map(given);
      given.forEach(([id], at) => {
        const isRefused = last.get(id) === 'bad';
        assert.equal(outcomes[at]?.status, isRefused ? 'rejected' : 'fulfilled');
        if (!isRefused) assert.equal(stored.get(id), last.get(id));
        else assert.equal(describeError((outcomes[at] as PromiseRejectedResult).reason), 'Is bad');
      });
      assert.equal(queue.size, 0);
      assert.ok(requests.length <= 2);
    }),
  );
});

test('two edits of one transaction are merged in their order', async () => {
  const { transport, requests } = serverOf();
  const queue = new EditQueue(transport);
  await Promise.all([queue.edit(1, { payee: 'a', notes: 'n' }), queue.edit(1, { payee: 'b' })]);
  const sent = requests.flat().map(({ id, values }) => [id, values]);
  assert.deepEqual(sent, [[1, { payee: 'b', notes: 'n' }]]);
});

test('a failure of the server is not taken for a refusal of one edit', async () => {
  const { transport, requests } = serverOf();
  const send = () => Promise.reject(new ApiError(500, 'Internal error'));
  const queue = new EditQueue({ ...transport, send });
  const outcomes = await Promise.allSettled([1, 2].map((id) => queue.edit(id, { payee: 'a' })));
  for (const { status } of outcomes) assert.equal(status, 'rejected');
  assert.deepEqual(requests, []);
});

test('edits that change also what is proved are a request of their own', async () => {
  const { transport, requests } = serverOf();
  const queue = new EditQueue(transport);
  await Promise.all([
    queue.edit(1, { payee: 'a' }),
    queue.edit(2, { payee: 'b' }, true),
    queue.edit(3, { payee: 'c' }),
  ]);
  const sent = requests.map((edits) => edits.map(({ id, isForced }) => [id, isForced]));
  assert.deepEqual(sent, [
    [
      [1, false],
      [3, false],
    ],
    [[2, true]],
  ]);
});
