import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { categoryReport, largest, type LineSum, type ReportCategory } from './category-report.ts';
import { csvOf, tableOfReport } from './csv.ts';
import { flowOf } from './flow.ts';
import { columnsOf } from './periods.ts';

const columns = columnsOf({ start: '2025-11-01', end: '2026-02-28' });
const month = fc.constantFrom(...columns.map(({ key }) => key));
const sum = (all: readonly bigint[]): bigint => all.reduce((a, b) => a + b, 0n);
const units = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n });

/** Groups with the ids 1 to 3, and categories in them or outside. */
const categoriesArbitrary = fc
  .array(fc.constantFrom(null, 1, 2, 3), { minLength: 1, maxLength: 12 })
  .map((all): ReportCategory[] => [
    ...[1, 2, 3].map((id) => ({ id, name: `Group ${id}`, group_id: null })),
    ...all.map((group_id, at) => ({ id: 10 + at, name: `C${at}`, group_id })),
  ]);

const bookArbitrary = categoriesArbitrary.chain((categories) => {
  const keys = ['0', ...categories.slice(3).map(({ id }) => String(id))];
  const sums = fc.array(fc.record({ month, key: fc.constantFrom(...keys), units }));
  return fc.record({ categories: fc.constant(categories), income: sums, spending: sums });
});

const total = (sums: readonly LineSum[]): bigint => sum(sums.map((each) => each.units));

describe('reports', () => {
  it('have the totals of all sums, in their lines, columns and members', () => {
    fc.assert(
      fc.property(bookArbitrary, ({ categories, income, spending }) => {
        const report = categoryReport({ columns, sums: spending, before: income }, categories);
        assert.equal(report.total, total(spending));
        assert.equal(report.before, total(income));
        assert.equal(sum(report.rows.map((row) => row.total)), report.total);
        assert.equal(sum(report.rows.map(({ before }) => before!)), report.before);
        assert.equal(sum(report.totals), report.total);
        for (const row of report.rows) {
          assert.equal(sum(row.units), row.total);
          if (row.members.length === 0) continue;
          assert.equal(sum(row.members.map((member) => member.total)), row.total);
          assert.deepEqual(row.filter, { categoryIds: [Number(row.key.slice(6))] });
        }
      }),
    );
  });

  const rowOf = (units: readonly bigint[], at: number) => ({
    key: String(at),
    name: '',
    filter: null,
    units,
    total: sum(units),
    before: null,
    members: [],
  });

  it('are drawn as parts of which all others are never the largest, in no column', () => {
    const share = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(0n, 1n, 2n) },
      { weight: 1, arbitrary: fc.bigInt({ min: -100n, max: 1000n }) },
      {
        weight: 1,
        arbitrary: fc.integer({ max: 12 }).map((power) => 2n ** BigInt(Math.abs(power) % 40)),
      },
    );
    const rows = fc
      .array(fc.tuple(share, share, share), { minLength: 1, maxLength: 60 })
      .map((all) => all.map(rowOf).toSorted((one, other) => Number(other.total - one.total)));
    fc.assert(
      fc.property(rows, fc.nat(60), (all, restKey) => {
        const parts = largest(all, 'Other', String(restKey));
        if (parts === null) {
          // One line is a chart, unless it is that of all others itself.
          assert.ok(all.length > 1 || all[0]!.key === String(restKey));
          return;
        }
        assert.ok(parts.length <= 19);
        assert.equal(sum(parts.map(({ total }) => total)), sum(all.map(({ total }) => total)));
        const rest = parts.find(({ key }) => key === 'rest');
        if (rest === undefined) return;
        const named = parts.filter((part) => part !== rest);
        const sums = (row: typeof rest): readonly bigint[] => [row.total, ...row.units];
        for (const [at, joint] of sums(rest).entries())
          assert.ok(joint <= 0n || named.some((part) => sums(part)[at]! >= joint));
      }),
      { examples: [[[rowOf([0n, 1n, 0n], 0)], 0]] },
    );
  });

  it('are drawn with as few parts as that needs, and not as parts if 18 are too few', () => {
    const totals = (...all: number[]): number[] | undefined =>
      largest(
        all.map((each, at) => rowOf([BigInt(each)], at)),
        'Other',
      )?.map(({ total }) => Number(total));
    assert.deepEqual(totals(9, 8, 7, 6, 5, 4), [9, 8, 7, 6, 5, 4]);
    assert.deepEqual(totals(9, 8, 7, 6, 5, 4, 3), [9, 8, 7, 6, 5, 7]);
    assert.deepEqual(totals(9, 8, 7, 6, 5, 4, 4, 3), [9, 8, 7, 6, 5, 4, 7]);
    const many = Array.from({ length: 20 }, () => 2);
    assert.equal(totals(...many), undefined);
    assert.deepEqual(totals(4, ...many.slice(1)), [4, ...many.slice(1, 18), 4]);
    const even = Array.from({ length: 14 }, () => 2);
    assert.deepEqual(totals(40, ...even), [40, ...even.slice(0, 4), 20]);
    assert.deepEqual(totals(4, ...even), [4, ...even.slice(0, 12), 4]);
    const unnamed = largest(
      [50n, 9n, 8n].map((each, at) => rowOf([each], at)),
      'Other',
      '2',
    );
    assert.deepEqual(
      unnamed?.map(({ key }) => key),
      ['0', '1', 'rest'],
    );
    const inOneColumn = [...even.map(() => [9n, 0n]), ...even.map(() => [0n, 1n])].map(rowOf);
    assert.equal(largest(inOneColumn, 'Other'), null);
  });

  it('are a table that a spreadsheet reads, and runs nothing of', () => {
    const categories = [{ id: 2, name: '=1+1, "now"', group_id: null }];
    const sums = [{ month: '2026-01', key: '2', units: -12_345_600n }];
    const report = categoryReport({ columns, sums }, categories);
    const nameOf = ({ name }: { readonly name: string | null }): string => name ?? '';
    const titles = { group: 'Group', name: 'Category', total: 'Total', before: 'Before', nameOf };
    const table = tableOfReport(report, report.rows, () => false, titles, 'usd');
    assert.equal(
      csvOf(table),
      'Group,Category,Total,2025-11,2025-12,2026-01,2026-02\r\n' +
        `,"'=1+1, ""now""",-1234.56,0.00,0.00,-1234.56,0.00\r\n` +
        'Total,,-1234.56,0.00,0.00,-1234.56,0.00\r\n',
    );
  });
});

describe('the flow', () => {
  it('balances: what comes into a place goes out of it', () => {
    fc.assert(
      fc.property(bookArbitrary, fc.boolean(), (book, hasMembers) => {
        const [income, spending] = [book.income, book.spending].map((sums) =>
          categoryReport({ columns, sums }, book.categories),
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

  it('joins small lines only as far as they are not the largest', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 1n, max: 300n }), { maxLength: 250 }), (all) => {
        const sums = all.map((each, at) => ({
          month: columns[0]!.key,
          key: String(at + 1),
          units: each,
        }));
        const categories = all.map((_, at) => ({ id: at + 1, name: `C${at}`, group_id: null }));
        const [none, spending] = [[], sums].map((each) =>
          categoryReport({ columns, sums: each }, categories),
        );
        const { nodes } = flowOf(none!, spending!, { hasMembers: true, restName: 'Other' });
        const [rest, others] = [true, false].map((isRest) =>
          nodes.filter((node) => node.role === 'category' && (node.name === 'Other') === isRest),
        );
        for (const { units: joint } of rest!)
          assert.ok(others!.some((node) => node.units >= joint));
      }),
    );
  });

  it('shows members of groups, what is saved or comes from reserves, and small lines as one', () => {
    const categories = [
      ...[1, 2].map((id) => ({ id, name: `G${id}`, group_id: null })),
      ...[10, 11, 12, 13, 14, 15].map((id) => ({
        id,
        name: `C${id}`,
        group_id: id < 12 ? 1 : id === 12 ? 2 : null,
      })),
    ];
    const flow = (sums: Readonly<Record<number, bigint>>): string[] => {
      const all = Object.entries(sums).map(([key, each]) => ({
        month: columns[0]!.key,
        key,
        units: each,
      }));
      const [income, spending] = [true, false].map((isIncome) =>
        categoryReport(
          { columns, sums: all.filter(({ key }) => (key === '13') === isIncome) },
          categories,
        ),
      );
      const { nodes, links } = flowOf(income!, spending!, { hasMembers: true, restName: 'Other' });
      const nameOf = (key: string): string => {
        const { name, role } = nodes.find((node) => node.key === key)!;
        return name ?? role;
      };
      return links.map(({ from, to, units: of }) => `${nameOf(from)} > ${nameOf(to)} ${of}`);
    };
    const group = ['income > G1 50', 'G1 > C10 30', 'G1 > C11 20'];
    assert.deepEqual(flow({ 10: 30n, 11: 20n, 12: 10n, 13: 100n }), [
      'C13 > income 100',
      ...group,
      'income > G2 10',
      'income > saved 40',
    ]);
    assert.deepEqual(flow({ 10: 30n, 11: 20n, 13: 40n }), [
      'C13 > income 40',
      ...group,
      'reserves > income 10',
    ]);
    assert.deepEqual(flow({ 10: 30n, 11: -20n, 13: 40n }), [
      'C13 > income 40',
      'income > G1 10',
      'income > saved 30',
    ]);
    assert.deepEqual(flow({ 13: 160n, 14: 2n, 15: 1n, 10: 157n }), [
      'C13 > income 160',
      'income > G1 157',
      'income > C14 2',
      'income > C15 1',
    ]);
    assert.deepEqual(flow({ 13: 240n, 14: 2n, 15: 1n, 10: 237n }), [
      'C13 > income 240',
      'income > G1 237',
      'income > Other 3',
    ]);
    assert.deepEqual(flow({}), []);
  });
});
