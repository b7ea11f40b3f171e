import type { RowEdit } from '../../api/edits.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import { making } from './making.ts';

/** So many transactions of one payee with one category are a habit. */
const habit = 3;
/** The transactions that were given a category on this page, by payee and category. */
const given = new Map<string, Set<number>>();

/**
 * Notes which transactions were given a category. Returns the offer to do it always, when these make the habit: at the
 * third transaction of a payee. It is made once for a payee and a category.
 */
export function offerAlways(
  edits: readonly RowEdit[],
): { readonly label: string; readonly run: () => void } | null {
  for (const { row, values } of edits) {
    const { category_id: category = null, payee = row.payee } = values;
    if (payee === '' || category === null) continue;
    const key = JSON.stringify([payee, category]);
    const ids = given.get(key) ?? new Set<number>();
    const before = ids.size;
    given.set(key, ids.add(row.id));
    if (before < habit && ids.size === habit)
      return {
        label: t.always,
        run: () => making.open({ payee, category_id: category }),
      };
  }
  return null;
}
