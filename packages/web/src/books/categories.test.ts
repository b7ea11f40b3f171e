import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dropsOf, moveBy, moveOfDrop, rowsOf, siblingsIn, updatesOf } from './categories.ts';
import type { Move, Placed } from './categories.ts';

/** Some categories in the order of the list: by order, those without one behind. */
const books = fc
  .array(
    fc.record({
      is_group: fc.boolean(),
      parent: fc.nat(9),
      order: fc.option(fc.integer({ min: -3, max: 3 })),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .map((drafts) => {
    const groups = drafts.flatMap(({ is_group: isGroup }, at) => (isGroup ? [at + 1] : []));
    const all = drafts.map(({ is_group, parent, order }, at): Placed => {
      const isTop = is_group || groups.length === 0 || parent > 5;
      const groupId = isTop ? null : groups[parent % groups.length]!;
      return { id: at + 1, is_group, group_id: groupId, order };
    });
    return sorted(all);
  });

function sorted(all: readonly Placed[]): Placed[] {
  const orderOf = ({ order }: Placed): number => order ?? Infinity;
  return all.toSorted((one, other) =>
    orderOf(one) === orderOf(other) ? one.id - other.id : orderOf(one) - orderOf(other),
  );
}

/** The book after the updates of a move. */
function after(all: readonly Placed[], move: Move): Placed[] {
  const updates = new Map(updatesOf(all, move).map(({ id, values }) => [id, values]));
  return sorted(all.map((each) => ({ ...each, ...updates.get(each.id) })));
}

describe('moving a category', () => {
  it('puts it where it was dropped, and leaves the order of all others', () => {
    const position = fc.constantFrom('before', 'after', 'on' as const);
    fc.assert(
      fc.property(books, fc.nat(), fc.nat(), position, (all, from, to, where) => {
        const [moved, target] = [all[from % all.length]!, all[to % all.length]!];
        const move = moveOfDrop(all, moved.id, { id: target.id, position: where });
        if (move === null) return;
        const ids = siblingsIn(after(all, move), move.groupId).map(({ id }) => id);
        const others = siblingsIn(all, move.groupId).map(({ id }) => id);
        const place = ids.indexOf(moved.id);
        assert.equal(ids[place + 1] ?? null, move.beforeId);
        const isOther = (id: number): boolean => id !== moved.id;
        assert.deepEqual(ids.filter(isOther), others.filter(isOther));
        if (where === 'after') assert.equal(ids[place - 1], target.id);
        assert.ok(!(moved.is_group && move.groupId !== null));
      }),
    );
  });

  it('can go to each place of the list but its own', () => {
    fc.assert(
      fc.property(books, fc.nat(), (all, from) => {
        const { id, group_id: own } = all[from % all.length]!;
        const drops = dropsOf(all, rowsOf(all, new Set()), id);
        const moves = drops.map((drop) => moveOfDrop(all, id, drop)!);
        const placesOf = (groupId: number | null): number =>
          siblingsIn(all, groupId).filter((each) => each.id !== id).length + 1;
        for (const groupId of new Set([null, ...moves.map((move) => move.groupId)])) {
          const before = moves.filter((move) => move.groupId === groupId).map((m) => m.beforeId);
          assert.equal(new Set(before).size, placesOf(groupId) - (groupId === own ? 1 : 0));
        }
        const orders = moves.map((move) =>
          after(all, move).map((each) => [each.id, each.group_id]),
        );
        for (const order of orders)
          assert.notDeepEqual(
            order,
            all.map((each) => [each.id, each.group_id]),
          );
      }),
    );
  });

  it('changes one category where there is room between the neighbours', () => {
    const at = (id: number, order: number): Placed => ({
      id,
      order,
      is_group: false,
      group_id: null,
    });
    const all = [at(1, 1000), at(2, 2000), at(3, 3000)];
    const move = { id: 3, groupId: null, beforeId: 2 };
    assert.deepEqual(updatesOf(all, move), [{ id: 3, values: { order: 1500 } }]);
    const close = [at(1, 0), at(2, 1), at(3, 2)];
    const ids = updatesOf(close, move).map(({ id }) => id);
    assert.deepEqual(ids, [1, 3, 2]);
  });

  it('by one place and back gives the same order', () => {
    fc.assert(
      fc.property(books, fc.nat(), (all, at) => {
        const { id } = all[at % all.length]!;
        const down = moveBy(all, id, 1);
        if (down === null) return;
        const moved = after(all, down);
        const back = after(moved, moveBy(moved, id, -1)!);
        const ids = (list: readonly Placed[]) => siblingsIn(list, down.groupId).map((e) => e.id);
        assert.notDeepEqual(ids(moved), ids(all));
        assert.deepEqual(ids(back), ids(all));
      }),
    );
  });
});
