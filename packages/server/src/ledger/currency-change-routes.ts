import { now } from '../db/engine.ts';
import { read, write } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { changed, refusedWithErrors } from '../operations/responses.ts';
import { changePrimaryCurrency, previewCurrencyChange } from './currency-change.ts';
import { CurrencyChange, CurrencyOutcome } from './currency-change-schema.ts';
import { bookChanged } from './transactions/bulk/schema.ts';

const shared = {
  tag: 'tokens',
  size: 'unbounded',
  needsSession: true,
  body: CurrencyChange,
  response: changed(CurrencyOutcome, 'What changes.'),
  refusals: {
    409: refusedWithErrors(409, 'The book has another `version` than that of the body.', {
      changed: bookChanged,
    }),
  },
} as const;

/** The operations that change the primary currency of a book with amounts. */
export const currencyChangeRoutes: readonly Operation[] = [
  read(
    {
      ...shared,
      id: 'previewCurrencyChange',
      path: '/coffer/book/currency/preview',
      summary: 'Preview a change of the primary currency',
      description:
        'Returns how many records get another value, which amounts have no exchange rate, and what happens to budgets. ' +
        'Changes nothing.',
    },
    function* ({ bookId, body }) {
      return yield* previewCurrencyChange(bookId, body, (yield* now()).slice(0, 10));
    },
    { method: 'POST' },
  ),
  write(
    'POST',
    {
      ...shared,
      id: 'changePrimaryCurrency',
      path: '/coffer/book/currency',
      summary: 'Change the primary currency of the book',
      description:
        'Changes the primary currency, and the `to_base` of every record at the rate of its day, as if the book had ' +
        'been created in that currency: one change of the book, which can be undone. Amounts stay in their own ' +
        'currencies; budgets in the former primary currency are converted or keep their numbers. Groups of ' +
        'transactions in several currencies are in the new one. Preview it first, and send its `version`.',
    },
    function* ({ body }, change) {
      return yield* changePrimaryCurrency(change, body);
    },
  ),
];
