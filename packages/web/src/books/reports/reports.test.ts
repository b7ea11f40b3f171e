import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { categoryReport, largest } from './category-report.ts';
import { flowOf } from './flow.ts';
import { monthsIn } from './periods.ts';
import { sidedSums, type CategorySum, type SidedCategory, type UncategorizedSum } from './sides.ts';

const months = monthsIn({ first: '2025-11', last: '2026-02' });
const month = fc.constantFrom(...months);
const sum = (all: readonly bigint[]): bigint => all.reduce((a, b) => a + b, 0n);
const units = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n });

const positive = units.map((each) => (each < 0n ? -each : each));
const negative = positive.map((each) => -each);

/** Groups with the ids 1 to 3, and categories in them or outside. */
const categoriesArbitrary = fc
  .array(
    fc.record({
      group_id: fc.constantFrom(null, 1, 2, 3),
      is_income: fc.boolean(),
      exclude_from_totals: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all): SidedCategory[] => [
    ...[1, 2, 3].map((id) => ({
      id,
      name: `Group ${id}`,
      is_group: true,
      group_id: null,
      is_income: false,
      exclude_from_totals: false,
    })),
    ...all.map((each, at) => ({ id: 10 + at, name: `C${at}`, is_group: false, ...each })),
  ]);

const bookArbitrary = categoriesArbitrary.chain((categories) => {
  const ids = categories.filter(({ is_group: isGroup }) => !isGroup).map(({ id }) => id);
  return fc.record({
    categories: fc.constant(categories),
    sums: fc.array(fc.record({ month, categoryId: fc.constantFrom(...ids), units })),
    uncategorized: fc.array(fc.record({ month, income: negative, spending: positive })),
  });
});

/** What the specification of the totals says, row by row. */
function expected(
  categories: readonly SidedCategory[],
  sums: readonly CategorySum[],
  uncategorized: readonly UncategorizedSum[],
) {
  let [income, spending] = [0n, 0n];
  for (const { categoryId, units: amount } of sums) {
    const category = categories.find(({ id }) => id === categoryId)!;
    if (category.exclude_from_totals) continue;
    if (category.is_income) income -= amount;
    else spending += amount;
  }
  for (const each of uncategorized) {
    income -= each.income;
    spending += each.spending;
  }
  return { income, spending };
}

describe('reports', () => {
  it('have the totals of every side, in their lines, months and members', () => {
    fc.assert(
      fc.property(bookArbitrary, ({ categories, sums, uncategorized }) => {
        const sided = sidedSums(sums, uncategorized, categories);
        const totals = expected(categories, sums, uncategorized);
        for (const side of ['income', 'spending'] as const) {
          const report = categoryReport(months, side, sided, categories);
          assert.equal(report.total, totals[side]);
          assert.equal(sum(report.rows.map(({ total }) => total)), report.total);
          assert.equal(sum(report.totals), report.total);
          for (const row of report.rows) {
            assert.equal(sum(row.months), row.total);
            if (row.members.length > 0)
              assert.equal(sum(row.members.map(({ total }) => total)), row.total);
          }
          const few = largest(report.rows, 3, 'Other');
          assert.ok(few.length <= 3);
          assert.equal(sum(few.map(({ total }) => total)), report.total);
        }
      }),
    );
  });

  it('link a group as a whole only when all of its categories are on the side', () => {
    const group = { id: 1, name: 'Group', is_group: true, group_id: null };
    const plain = { is_income: false, exclude_from_totals: false };
    const members = [2, 3].map((id) => ({
      id,
      name: `C${id}`,
      is_group: false,
      group_id: 1,
      ...plain,
    }));
    const sums = members.map(({ id }) => ({ month: months[0]!, categoryId: id, units: 5n }));
    const idsOf = (categories: readonly SidedCategory[]) =>
      categoryReport(months, 'spending', sidedSums(sums, [], categories), categories).rows[0]
        ?.categoryIds;
    assert.deepEqual(idsOf([{ ...group, ...plain }, ...members]), [1]);
    const mixed = { ...members[1]!, is_income: true };
    assert.deepEqual(idsOf([{ ...group, ...plain }, members[0]!, mixed]), [2]);
  });
});

describe('the flow', () => {
  it('balances: what comes into a place goes out of it', () => {
    fc.assert(
      fc.property(bookArbitrary, fc.boolean(), (book, hasMembers) => {
        const { categories, sums, uncategorized } = book;
        const sided = sidedSums(sums, uncategorized, categories);
        const [income, spending] = (['income', 'spending'] as const).map((side) =>
          categoryReport(months, side, sided, categories),
        );
        const { nodes, links } = flowOf(income!, spending!, { hasMembers, restName: 'Other' });
        const keys = new Set(nodes.map(({ key }) => key));
        assert.equal(keys.size, nodes.length);
        for (const { from, to, units: amount } of links)
          assert.ok(keys.has(from) && keys.has(to) && amount > 0n);
        for (const { key, units: amount } of nodes)
          for (const end of ['from', 'to'] as const) {
            const all = links.filter((link) => link[end] === key);
            if (all.length > 0) assert.equal(sum(all.map((link) => link.units)), amount, key);
          }
      }),
    );
  });

  it('shows members of groups, what is saved or comes from reserves, and small lines as one', () => {
    const categories = [
      ...[1, 2].map((id) => ({ id, name: `G${id}`, is_group: true, group_id: null })),
      ...[10, 11, 12, 13, 14, 15].map((id) => ({
        id,
        name: `C${id}`,
        is_group: false,
        group_id: id < 12 ? 1 : id === 12 ? 2 : null,
      })),
    ].map((each) => ({ ...each, is_income: each.id === 13, exclude_from_totals: false }));
    const flow = (sums: Readonly<Record<number, bigint>>): string[] => {
      const all = Object.entries(sums).map(([id, units]) => ({
        month: months[0]!,
        categoryId: Number(id),
        units,
      }));
      const sided = sidedSums(all, [], categories);
      const [income, spending] = (['income', 'spending'] as const).map((side) =>
        categoryReport(months, side, sided, categories),
      );
      const { nodes, links } = flowOf(income!, spending!, { hasMembers: true, restName: 'Other' });
      const nameOf = (key: string): string => {
        const { name, role } = nodes.find((node) => node.key === key)!;
        return name ?? role;
      };
      return links.map(({ from, to, units: of }) => `${nameOf(from)} > ${nameOf(to)} ${of}`);
    };
    const group = ['income > G1 50', 'G1 > C10 30', 'G1 > C11 20'];
    assert.deepEqual(flow({ 10: 30n, 11: 20n, 12: 10n, 13: -100n }), [
      'C13 > income 100',
      ...group,
      'income > G2 10',
      'income > saved 40',
    ]);
    assert.deepEqual(flow({ 10: 30n, 11: 20n, 13: -40n }), [
      'C13 > income 40',
      ...group,
      'reserves > income 10',
    ]);
    assert.deepEqual(flow({ 10: 30n, 11: -20n, 13: -40n }), [
      'C13 > income 40',
      'income > G1 10',
      'income > saved 30',
    ]);
    assert.deepEqual(flow({ 13: -160n, 14: 2n, 15: 1n, 10: 157n }), [
      'C13 > income 160',
      'income > G1 157',
      'income > C14 2',
      'income > C15 1',
    ]);
    assert.deepEqual(flow({ 13: -240n, 14: 2n, 15: 1n, 10: 237n }), [
      'C13 > income 240',
      'income > G1 237',
      'income > Other 3',
    ]);
    assert.deepEqual(flow({}), []);
  });
});
