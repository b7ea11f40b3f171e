import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addDays } from '@coffer/core/dates';
import fc from 'fast-check';
import { runs } from '../../../../core/src/testing/length.ts';
import { balancesOn, explain, prove } from './proof.ts';
import type { DaySum, KnownBalance, NearRow } from './proof.ts';

const start = '2024-01-01';

/** An account with the rows that its bank has, and the balances of its statements. */
interface BankAccount {
  readonly rows: readonly NearRow[];
  readonly anchors: readonly KnownBalance[];
}

const anchorOf = (id: number, day: string, balance: number): KnownBalance => ({
  id,
  day,
  source: 'statement',
  balance,
  ahead: 0,
  set_at: '2026-01-01T00:00:00.000Z',
});

/** Every amount differs from all others, their opposites and halves, so that only one fault explains a difference. */
const accounts = fc
  .record({
    lengths: fc.array(fc.integer({ min: 1, max: 31 }), { minLength: 2, maxLength: 39 }),
    counts: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 39, maxLength: 39 }),
    seed: fc.integer({ min: 1, max: 1000 }),
    opening: fc.integer({ min: -100_000_000, max: 100_000_000 }),
  })
  .map(({ lengths, counts, seed, opening }): BankAccount => {
    const rows: NearRow[] = [];
    const anchors = [anchorOf(1, start, opening)];
    let [day, balance] = [start, opening];
    for (const [nth, length] of lengths.entries()) {
      for (let count = 0; count < counts[nth]!; count += 1) {
        const id = rows.length + 1;
        const amount = (id % 3 === 0 ? 1 : -1) * (10_000 + seed * 7 + id * 10_007);
        const date = addDays(day, 1 + ((seed + count * 5) % length));
        rows.push({ id, date, amount, payee: `Payee ${id % 4}`, isPending: false });
        balance += amount;
      }
      day = addDays(day, length);
      anchors.push(anchorOf(nth + 2, day, balance));
    }
    return { rows, anchors };
  });

const faults = ['missing', 'doubled', 'turned', 'amount', 'swapped'] as const;

function daysOf(rows: readonly NearRow[]): DaySum[] {
  const byDay = Map.groupBy(
    rows.filter(({ isPending }) => !isPending),
    ({ date }) => date,
  );
  return [...byDay]
    .map(([date, own]) => ({
      date,
      rows: own.length,
      sum: own.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
    }))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
}

/** Returns rows with one fault, and the day of the first balance that is wrong; null if none can be. */
function broken(
  { rows, anchors }: BankAccount,
  fault: (typeof faults)[number],
  at: number,
): { readonly rows: NearRow[]; readonly day: string | null } {
  const one = rows[at % rows.length]!;
  const other = rows[(at * 7 + 3) % rows.length]!;
  const rest = rows.filter((row) => row !== one);
  const dayOf = ({ date }: NearRow): string => anchors.find(({ day }) => day >= date)!.day;
  const days = { rows: [...rows], day: dayOf(one) };
  if (fault === 'missing') return { ...days, rows: rest };
  if (fault === 'doubled') return { ...days, rows: [...rows, { ...one, id: 100_000 }] };
  if (fault === 'turned') return { ...days, rows: [...rest, { ...one, amount: -one.amount }] };
  if (fault === 'amount') return { ...days, rows: [...rest, { ...one, amount: one.amount + 900 }] };
  const swapped = rows.map((row) => {
    if (row === one) return { ...row, date: other.date };
    return row === other ? { ...row, date: one.date } : row;
  });
  const [first, second] = [dayOf(one), dayOf(other)].toSorted();
  return { rows: swapped, day: first === second ? null : first! };
}

describe('the proof of an account', () => {
  it('finds nothing where every statement follows', () => {
    fc.assert(
      fc.property(accounts, ({ rows, anchors }) => {
        const states = prove(anchors, daysOf(rows)).map(({ state }) => state);
        assert.equal(states.length, anchors.length - 1);
        assert.ok(states.every((state) => state === 'proved'));
      }),
      { numRuns: runs(200) },
    );
  });

  it('finds the day of every planted fault, and nearly always the rows that explain it', () => {
    const found = { planted: 0, byChance: 0 };
    fc.assert(
      fc.property(accounts, fc.constantFrom(...faults), fc.nat(10_000), (account, fault, at) => {
        const { rows, day } = broken(account, fault, at);
        const stretches = prove(account.anchors, daysOf(rows));
        const wrong = stretches.filter(({ state }) => state !== 'proved');
        assert.equal(wrong[0]?.to.day ?? null, day, fault);
        if (wrong.length === 0 || fault === 'swapped') return;
        const [explanation] = explain(wrong[0]!, rows);
        assert.ok(explanation !== undefined);
        if (fault === 'amount' || fault === 'missing') return;
        // Another row can explain a difference by chance.
        const isPlanted = explanation.kind === fault;
        found[isPlanted ? 'planted' : 'byChance'] += 1;
        if (!isPlanted) return;
        if (fault === 'doubled') assert.equal(explanation.ids.at(-1), 100_000);
        if (fault === 'turned')
          assert.deepEqual(explanation.ids, [account.rows[at % account.rows.length]!.id]);
      }),
      { numRuns: runs(1000) },
    );
    assert.ok(found.byChance <= 2 + found.planted / 50, JSON.stringify(found));
  });

  it('explains a pending row, one of other days, and one that the bank does not have', () => {
    const from = anchorOf(1, '2024-01-31', 1000);
    const to = anchorOf(2, '2024-02-29', 900);
    const row = (id: number, date: string, amount: number, isPending = false): NearRow => {
      return { id, date, amount, payee: 'Shop', isPending };
    };
    const kinds = (difference: bigint, ...rows: NearRow[]) =>
      explain({ from, to, rows: 0, difference, state: 'broken' }, rows).map(({ kind, ids }) => [
        kind,
        ...ids,
      ]);
    assert.deepEqual(kinds(-100n, row(1, '2024-02-28', -100, true)), [['pending', 1]]);
    assert.deepEqual(kinds(-100n, row(1, '2024-03-01', -100)), [['outside', 1]]);
    assert.deepEqual(kinds(100n, row(1, '2024-02-01', -100)), [['extra', 1]]);
    assert.deepEqual(kinds(-100n), [['missing']]);
  });

  it('leaves out what requests have moved between statements, and says so after the last one', () => {
    const api = (id: number, day: string, balance: number): KnownBalance => {
      return { ...anchorOf(id, day, balance), source: 'api' };
    };
    const stretches = prove(
      [
        api(1, '2023-12-01', 5),
        anchorOf(2, '2024-01-31', 100),
        api(3, '2024-02-10', 1),
        anchorOf(4, '2024-02-29', 100),
        api(5, '2024-03-01', 7),
        { ...api(6, '2024-03-05', 120), ahead: 20 },
      ],
      [{ date: '2024-01-05', sum: 95n, rows: 1 }],
    );
    assert.deepEqual(
      stretches.map(({ from, to, state }) => [from.id, to.id, state]),
      [
        [1, 2, 'proved'],
        [2, 4, 'proved'],
        [4, 6, 'proved'],
      ],
    );
    const [last] = prove([anchorOf(1, '2024-01-31', 100), api(2, '2024-02-10', 1)], []);
    assert.deepEqual([last!.state, last!.difference], ['moved', -99n]);
  });
});

describe('the balance of a day', () => {
  it('is that of the nearest anchor before it and the rows since, and before the first one what it was', () => {
    const day = (nth: number): string => addDays(start, nth);
    const anchors = fc.uniqueArray(fc.nat(40), { maxLength: 5 });
    const rows = fc.array(fc.tuple(fc.nat(40), fc.integer({ min: -99, max: 99 })));
    fc.assert(
      fc.property(anchors, rows, fc.integer({ min: -9, max: 9 }), (places, sums, ahead) => {
        const known = places
          .toSorted((a, b) => a - b)
          .map((nth, at) => ({ nth, day: day(nth), balance: at * 1000, ahead }));
        const all = daysOf(
          sums.map(([nth, amount], id) => ({
            ...{ id, date: day(nth), amount },
            ...{ payee: '', isPending: false },
          })),
        );
        const between = (after: number, upTo: number): number =>
          sums.reduce((sum, [nth, amount]) => sum + (nth > after && nth <= upTo ? amount : 0), 0);
        const wanted = Array.from({ length: 45 }, (_, nth) => nth);
        const expected = wanted.map((nth) => {
          const before = known.findLast((each) => each.nth <= nth);
          const first = known[0];
          if (before?.nth === nth) return before.balance;
          if (before !== undefined) return before.balance - ahead + between(before.nth, nth);
          if (first !== undefined) return first.balance - between(nth, first.nth);
          return 77 - between(nth, 45);
        });
        const found = balancesOn(wanted.map(day), known, all, 77n);
        assert.deepEqual(found.map(Number), expected);
      }),
      { numRuns: runs(300) },
    );
  });
});
