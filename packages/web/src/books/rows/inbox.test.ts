import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { nextStep, rowsIn, type InboxPage, type InboxRow, type InboxStep } from './inbox.ts';

const pageSize = 7;

/** A server that lists what waits, newest first. */
class Server {
  #waiting: InboxRow[];

  constructor(rows: readonly InboxRow[]) {
    this.#waiting = rows.toSorted((a, b) =>
      a.date === b.date ? b.id - a.id : a.date < b.date ? 1 : -1,
    );
  }

  page({ end_date: end = '9999-12-31', offset }: InboxStep) {
    const all = this.#waiting.filter(({ date }) => date <= end).slice(offset);
    return { transactions: all.slice(0, pageSize), has_more: all.length > pageSize };
  }

  readonly has = ({ id }: InboxRow): boolean => this.#waiting.some((row) => row.id === id);

  mark(ids: ReadonlySet<number>): void {
    this.#waiting = this.#waiting.filter(({ id }) => !ids.has(id));
  }
}

const rowsArbitrary = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 }).map((days) =>
  days.map((day, id): InboxRow => ({
    id: id + 1,
    date: `2026-11-0${day}`,
    status: 'unreviewed',
  })),
);

describe('the inbox', () => {
  it('shows every row once, newest first, however many are marked between two pages', () => {
    const marksArbitrary = fc.array(fc.nat(2), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(rowsArbitrary, marksArbitrary, (rows, marks) => {
        const server = new Server(rows);
        const pages: InboxPage<InboxRow>[] = [];
        let step: InboxStep | undefined = { offset: 0 };
        while (step !== undefined) {
          assert.ok(pages.length < 200, 'it does not end');
          pages.push(server.page(step));
          // Fewer of one day are marked than a page has, so that an offset in a day stays valid.
          const count = step.offset > 0 ? 0 : marks[pages.length % marks.length]!;
          server.mark(
            new Set(
              rowsIn(pages)
                .filter(server.has)
                .slice(0, count)
                .map(({ id }) => id),
            ),
          );
          step = nextStep(pages, step);
        }
        const seen = rowsIn(pages);
        assert.deepEqual(
          seen.map(({ id }) => id).toSorted((a, b) => a - b),
          rows.map(({ id }) => id),
        );
        const dates = seen.map(({ date }) => date);
        assert.deepEqual(dates, dates.toSorted().toReversed());
      }),
    );
  });

  it('has a row with the values that it has now', () => {
    const row: InboxRow = { id: 1, date: '2026-11-01', status: 'unreviewed' };
    const pages = [row, { ...row, status: 'reviewed' as const }].map((each) => ({
      transactions: [each],
      has_more: true,
    }));
    assert.deepEqual(rowsIn(pages), pages[1]!.transactions);
  });
});
