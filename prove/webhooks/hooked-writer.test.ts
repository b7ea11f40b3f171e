import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { find } from '../../packages/server/src/db/rows.ts';
import { books } from '../../packages/server/src/db/tables/tables.ts';
import { engines } from '../../packages/server/src/db/testing/engines.ts';
import { newBook } from '../../packages/server/src/identity/users/testing/new-book.ts';
import { randomFrom } from '../../test/service/random.ts';
import { changeUpTo } from './hooked-writer.ts';

// F35 ends when the last version is delivered, so a version after it would seem lost.
for (const { name, skip, openNodes } of engines)
  describe(`the writers of F35 on ${name}`, { skip }, () => {
    it('write no version after the last one, although all of them begin before it', async () => {
      const nodes = await openNodes([Date.now, Date.now, Date.now]);
      const { id } = await newBook(nodes[0]!);
      const before = await nodes[0]!.read(() => find(books, { id }));
      const last = before!.version + 2;
      const wrote = await Promise.all(
        nodes.map((node, at) => node.write(() => changeUpTo(last, id, randomFrom(at)))),
      );
      assert.deepEqual(wrote.toSorted(), [false, true, true]);
      const after = await nodes[0]!.read(() => find(books, { id }));
      assert.equal(after!.version, last);
    });
  });
