import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { newInbox, nextStep, withPage, withoutRows, withRows } from './inbox.ts';
import type { Inbox, InboxRow, InboxStep } from './inbox.ts';

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

  mark(ids: ReadonlySet<number>): void {
    this.#waiting = this.#waiting.filter(({ id }) => !ids.has(id));
  }
}

const rowsArbitrary = fc
  .array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 })
  .map((days) => days.map((day, id) => ({ id: id + 1, date: `2026-11-0${day}` })));

describe('the inbox', () => {
  it('shows every row once, newest first, however many are marked between two pages', () => {
    const marksArbitrary = fc.array(fc.nat(2), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(rowsArbitrary, marksArbitrary, (rows, marks) => {
        const server = new Server(rows);
        const seen: number[] = [];
        let inbox: Inbox<InboxRow> = newInbox();
        for (let step = 0; inbox.hasMore; step += 1) {
          assert.ok(step < 200, 'it does not end');
          const known = inbox.known.size;
          inbox = withPage(inbox, server.page(nextStep(inbox)));
          const added = inbox.rows.slice(inbox.rows.length - (inbox.known.size - known));
          seen.push(...added.map(({ id }) => id));
          // Fewer of one day are marked than a page has, so that an offset in a day stays valid.
          const count = inbox.offset > 0 ? 0 : marks[step % marks.length]!;
          const marked = new Set(inbox.rows.slice(0, count).map(({ id }) => id));
          server.mark(marked);
          inbox = withoutRows(inbox, marked);
        }
        assert.deepEqual(
          seen.toSorted((a, b) => a - b),
          rows.map(({ id }) => id),
        );
        const dates = inbox.rows.map(({ date }) => date);
        assert.deepEqual(dates, dates.toSorted().toReversed());
      }),
    );
  });

  it('changes rows in their places', () => {
    const transactions = [2, 1].map((id) => ({ id, date: `2026-11-0${id}` }));
    const inbox = withPage(newInbox<InboxRow>(), { transactions, has_more: false });
    const changed = withRows(inbox, (row) => (row.id === 1 ? { ...row, date: '2026-11-03' } : row));
    assert.deepEqual(
      changed.rows.map(({ date }) => date),
      ['2026-11-02', '2026-11-03'],
    );
  });
});
