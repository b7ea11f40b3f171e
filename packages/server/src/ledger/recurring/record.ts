import sql from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { recordKind } from '../../book/record.ts';
import type { Steps } from '../../db/engine.ts';
import { rowAs, select } from '../../db/rows.ts';
import { integer } from '../../db/table.ts';
import { recurringItems } from '../../db/tables/tables.ts';
import { removeRecurring } from './items.ts';
import { relink } from './links.ts';
import { detailsOf } from './rules.ts';

export const recurringRecord = recordKind(recurringItems, {
  toWire: detailsOf,
  shows: `id description status source start_date end_date granularity quantity anchor_date payee amount
    amount_tolerance to_base currency manual_account_id plaid_account_id override_payee override_notes
    override_category_id created_by created_at updated_at`,
  isDebit: true,
  // Of its last change, which a new value does not count as.
  valueDay: ({ updated_at }) => updated_at.slice(0, 10),
  refersTo: {
    // The items that override the category of their transactions.
    categories: {
      dependents: 'recurring',
      /** Dismissed ones do not count. */
      *count(bookId, id) {
        const found = yield* rowAs(
          { items: integer },
          sql`SELECT count(*) AS items FROM recurring_items
            WHERE book_id = ${bookId} AND override_category_id = ${id} AND status <> 'dismissed'`,
        );
        return found?.items ?? 0;
      },
      *move(change, from, into) {
        yield* setCategory(change, from, into);
      },
      /** The transactions of the items show their own categories again. */
      *detach(change, id) {
        yield* setCategory(change, id, null);
      },
    },
    manual_accounts: {
      /** The links of the items stay. */
      *move(change, from, { manual_account_id, plaid_account_id }) {
        const items = yield* itemsOf(change, from);
        yield* change.updateAll(recurringItems, items, { manual_account_id, plaid_account_id });
      },
      /** The transactions of the items show their own text again. */
      *remove(change, id) {
        for (const item of yield* itemsOf(change, id)) yield* removeRecurring(change, item);
      },
    },
  },
});

/** Gives the items of a category another one, which their transactions then show. */
function* setCategory(change: Change, from: number, into: number | null): Steps<void> {
  const where = { book_id: change.bookId, override_category_id: from };
  const items = yield* select(recurringItems, where);
  const moved = yield* change.updateAll(recurringItems, items, { override_category_id: into });
  for (const item of moved) yield* relink(change, item);
}

function* itemsOf({ bookId: book_id }: Change, manual_account_id: number) {
  return yield* select(recurringItems, { book_id, manual_account_id });
}
