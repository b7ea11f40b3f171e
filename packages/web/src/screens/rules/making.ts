import type { Transaction } from '../../books/types.ts';
import { opener } from '../../parts/overlays/opener.ts';

/** Opens the dialog of a new rule from every screen, for the payee and the category of a transaction. */
export const making = opener<Pick<Transaction, 'payee' | 'category_id'>>();
