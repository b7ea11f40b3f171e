import type { Transaction } from '../../books/types.ts';
import { opener } from '../../parts/overlays/opener.ts';

/** Opens the dialog of a new rule from every screen, for the payee and the category of a transaction. */
export const making = opener<Pick<Transaction, 'payee' | 'category_id'>>();

const form = opener<true>();

/** Opens the form for a new transaction, from every screen and by a key. */
export const adding = { open: (): void => form.open(true), close: form.close };

/** Whether the form for a new transaction is open. */
export function useIsAdding(): boolean {
  return form.useShown() !== null;
}
