import sql from 'sql-template-tag';
import { changing, type Change } from '../book/change.ts';
import { now, type Steps } from '../db/engine.ts';
import { find, rowsAs, select } from '../db/rows.ts';
import { integer, text as textColumn, type RowUpdate, type Values } from '../db/table.ts';
import {
  bookSettings,
  budgets,
  cryptoBalances,
  manualCryptoAccounts,
  transactions,
} from '../db/tables/tables.ts';
import { bodyProblem } from '../operations/problem.ts';
import type { CurrencyCode } from '../operations/currencies.ts';
import { primaryCurrencyOf, ratesOf, refuseTooLarge } from './currencies/actions.ts';
import type { Rates, Rating } from './currencies/actions.ts';
import { ledgerRecords } from './records.ts';
import { rerateRecords } from './rerate.ts';
import { versionFor } from './transactions/bulk/actions.ts';
import { revalueTransactions } from './transactions/rerate.ts';
import type { Static } from 'typebox';
import {
  Currency,
  count,
  date,
  exampleOf,
  listOf,
  object,
  optional,
  reference,
  text,
  word,
} from '../operations/schema.ts';
import { read, write, type Operation } from '../operations/operation.ts';
import { changed, refusedWithErrors } from '../operations/responses.ts';
import { bookChanged } from './transactions/bulk/schema.ts';

/** The body of POST /coffer/book/currency and of its preview. */
const CurrencyChange = object(
  'CurrencyChange',
  'The new primary currency of the book.',
  {
    primary_currency: reference(Currency, 'The new primary currency.'),
    budgets: word(['convert', 'keep'], {
      default: 'convert',
      description:
        'What becomes of budgets in the former primary currency: `convert` converts each at the rate of its first day, ' +
        '`keep` keeps the number and changes its currency. Budgets in other currencies stay as they are.',
    }),
    version: optional(
      count(
        'The `version` of the preview. If the book has another one by now, the response is 409 and nothing is changed.',
      ),
    ),
  },
  { example: { primary_currency: 'chf', budgets: 'convert' } },
);
export type CurrencyChange = Static<typeof CurrencyChange>;
export type BudgetChoice = CurrencyChange['budgets'];

const ChangedRecords = object(
  'RevaluedRecords',
  'How many records of one kind have a value in the primary currency.',
  { record: text('Kind of the records, such as `transactions`.'), count: count('Their number.') },
  { example: { record: 'transactions', count: 1204 } },
);

const MissingRates = object(
  'MissingRates',
  'Records whose value is 0, because there is no exchange rate up to their days.',
  {
    currency: reference(Currency, 'Their currency.'),
    count: count('Their number.'),
    first_date: date('The first of their days.'),
    last_date: date('The last of their days.'),
  },
  { example: { currency: 'jpy', count: 3, first_date: '1998-03-01', last_date: '1998-12-24' } },
);

/** The response of POST /coffer/book/currency and of its preview. */
const CurrencyOutcome = object(
  'CurrencyOutcome',
  'What a change of the primary currency does.',
  {
    version: count('Version of the book: that of the preview, or after the change.'),
    from: reference(Currency, 'The primary currency before the change.'),
    to: reference(Currency, 'The new primary currency.'),
    records: listOf(ChangedRecords, 'The records whose `to_base` is computed again.'),
    without_rate: listOf(
      MissingRates,
      'What has no exchange rate: its `to_base` is 0 until rates are imported. Values of cryptocurrencies without a ' +
        'rate are null until their price is read again; they count in the former primary currency.',
    ),
    budgets: object('ChangedBudgets', 'Budgets in the former primary currency.', {
      changed: count('Those that get the new currency.'),
      left: count('Those that stay in the former one, because there is no rate to convert them.'),
    }),
  },
  {
    example: {
      version: 42,
      from: 'eur',
      to: 'chf',
      records: [exampleOf(ChangedRecords), { record: 'budgets', count: 36 }],
      without_rate: [exampleOf(MissingRates)],
      budgets: { changed: 36, left: 0 },
    },
  },
);
export type CurrencyOutcome = Static<typeof CurrencyOutcome>;

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

/** What a change of the primary currency is about. */
interface Conversion {
  readonly bookId: number;
  readonly from: string;
  readonly to: string;
  readonly budgets: BudgetChoice;
  readonly rates: Rates;
  /** The day of values at the latest rate. */
  readonly today: string;
}

/** Returns what a change of the primary currency would do. Throws a Problem for one that is none. */
export function* previewCurrencyChange(
  bookId: number,
  body: CurrencyChange,
  today: string,
): Steps<CurrencyOutcome> {
  const version = yield* versionFor(bookId, body);
  return yield* outcomeOf(yield* conversionOf(bookId, body, today), version);
}

/** Changes the primary currency of a book and every value, as one change. Throws a Problem if a value is too large. */
export function* changePrimaryCurrency(
  change: Change,
  body: CurrencyChange,
): Steps<CurrencyOutcome> {
  const { bookId, version } = change;
  yield* versionFor(bookId, body);
  const conversion = yield* conversionOf(bookId, body, change.at.slice(0, 10));
  const outcome = yield* outcomeOf(conversion, version);
  yield* setCurrency(change, conversion);
  yield* convertBudgets(change, conversion);
  const rating = ratingOf(conversion);
  yield* revalueTransactions(change, rating);
  yield* rerateRecords(change, rating);
  yield* convertCrypto(change, conversion);
  return outcome;
}

/** The same for a command. */
export function* changeCurrencyByCommand(bookId: number, body: CurrencyChange): Steps<void> {
  const cause = { bookId, actor: 'command', operation: 'book currency' };
  yield* changing(cause, (change) => changePrimaryCurrency(change, body));
}

/** Values all records at the rates of a new primary currency. */
function ratingOf({ rates, to }: Pick<Conversion, 'rates' | 'to'>): Rating {
  return { rates, primaryCurrency: to, since: '', isNewCurrency: true };
}

function* conversionOf(
  bookId: number,
  { primary_currency: to, budgets: choice }: CurrencyChange,
  today: string,
): Steps<Conversion> {
  const from = yield* primaryCurrencyOf(bookId);
  if (from === to)
    throw bodyProblem({
      errMsg: `The primary_currency of the book is "${to}" already`,
      instancePath: '/body/primary_currency',
      invalid_property: 'primary_currency',
    });
  return { bookId, from, to, budgets: choice, rates: yield* ratesOf(), today };
}

/** Makes the currency a record of the book, so that it has a history. Its row follows. */
function* setCurrency(change: Change, { from, to }: Conversion): Steps<void> {
  const before = yield* find(bookSettings, { book_id: change.bookId, number: 1 });
  const column = { primary_currency: to };
  if (before === undefined)
    yield* change.insert(bookSettings, { number: 1, ...column, first_currency: from });
  else yield* change.update(bookSettings, before, column);
  yield* change.updateDerived();
}

/** Gives the budgets in the former currency the new one, with the same number or converted if there is a rate. */
function* convertBudgets(change: Change, conversion: Conversion): Steps<void> {
  const { bookId, from, to } = conversion;
  for (const row of yield* select(budgets, { book_id: bookId, currency: from })) {
    const amount = yield* budgetAmount(conversion, row);
    if (amount === null) continue;
    const columns: RowUpdate<typeof budgets> = { amount, currency: to, to_base: amount };
    yield* change.update(budgets, row, columns);
  }
}

/** Returns the amount of a budget in the new currency; null without a rate. */
function* budgetAmount(
  { budgets: choice, rates, from, to }: Conversion,
  { amount, start_date, category_id }: { amount: number; start_date: string; category_id: number },
): Steps<number | null> {
  if (choice === 'keep') return amount;
  const converted = yield* rates.convert(amount, from, to, start_date);
  const isTooLarge = converted === null && (yield* rates.convert(0, from, to, start_date)) !== null;
  if (isTooLarge)
    refuseTooLarge(ratingOf({ rates, to }), `budget from ${start_date} of category`, [
      { category_id },
    ]);
  return converted;
}

/** Tables of values at prices, which may be unknown. */
export const pricedTables = [cryptoBalances, manualCryptoAccounts] as const;

/** Converts the values of cryptocurrencies at the rate of the day of their price; none without a rate. */
function* convertCrypto(change: Change, { rates, from, to }: Conversion): Steps<void> {
  for (const table of pricedTables)
    for (const row of yield* select(table, { book_id: change.bookId })) {
      if (row.to_base === null) continue;
      const day = row.price_as_of!.slice(0, 10);
      const to_base = yield* rates.convert(row.to_base, from, to, day);
      yield* change.update(table, row, to_base === null ? withoutPrice : { to_base });
    }
}

/** No value, until a price is read. */
export const withoutPrice = { to_base: null, price_as_of: null };

/** An amount of some records: its currency, and the day of its rate. */
interface Amounts {
  readonly currency: string;
  readonly day: string;
  readonly number: number;
}

function* outcomeOf(conversion: Conversion, version: number): Steps<CurrencyOutcome> {
  const { bookId, from, to } = conversion;
  const counts: { record: string; count: number }[] = [];
  const missing = new Missing(conversion);
  for (const { record, count, amounts } of yield* amountsOf(conversion)) {
    if (count > 0) counts.push({ record, count });
    yield* missing.add(amounts);
  }
  const own = yield* select(budgets, { book_id: bookId, currency: from });
  let converted = 0;
  for (const row of own) if ((yield* budgetAmount(conversion, row)) !== null) converted += 1;
  return {
    version,
    from: from as CurrencyCode,
    to: to as CurrencyCode,
    records: counts,
    without_rate: missing.found,
    budgets: { changed: converted, left: own.length - converted },
  };
}

/** The records of one kind, and their amounts by currency and day. */
interface KindAmounts {
  readonly record: string;
  readonly count: number;
  readonly amounts: readonly Amounts[];
}

function* amountsOf({ bookId, budgets: choice, from, today }: Conversion): Steps<KindAmounts[]> {
  const all = [yield* amountsOfTransactions(bookId)];
  for (const { table, valueDay } of ledgerRecords) {
    if (valueDay === null) continue;
    const rows: readonly Values[] = yield* select(table, { book_id: bookId });
    const isKept = (row: Values): boolean =>
      table === budgets && choice === 'keep' && row['currency'] === from;
    const amounts = rows
      .filter((row) => !isKept(row))
      .map((row) => ({
        currency: row['currency'] as string,
        day: valueDay(row) ?? today,
        number: 1,
      }));
    all.push({ record: table.name, count: rows.length, amounts });
  }
  for (const table of pricedTables) {
    const rows = (yield* select(table, { book_id: bookId })).filter((row) => row.to_base !== null);
    const amounts = rows.map((row) => ({
      currency: from,
      day: row.price_as_of!.slice(0, 10),
      number: 1,
    }));
    all.push({ record: table.name, count: rows.length, amounts });
  }
  return all;
}

/** Parts and groups have their values from others. */
function* amountsOfTransactions(bookId: number): Steps<KindAmounts> {
  const found = yield* rowsAs(
    { currency: textColumn, day: textColumn, number: integer, own: integer },
    sql`SELECT currency, date AS day, count(*) AS number,
        sum(CASE WHEN is_group_parent = 0 AND split_parent_id IS NULL THEN 1 ELSE 0 END) AS own
      FROM transactions WHERE book_id = ${bookId} GROUP BY currency, date`,
  );
  const count = found.reduce((sum, { number }) => sum + number, 0);
  const own = found
    .map((each) => ({ ...each, number: each.own }))
    .filter(({ number }) => number > 0);
  return { record: transactions.name, count, amounts: own };
}

/** The currencies without a rate, with their first and last days. */
class Missing {
  readonly #conversion: Conversion;
  readonly #found = new Map<string, CurrencyOutcome['without_rate'][number]>();
  readonly #known = new Map<string, boolean>();

  constructor(conversion: Conversion) {
    this.#conversion = conversion;
  }

  get found(): CurrencyOutcome['without_rate'] {
    return [...this.#found.values()].toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
  }

  *add(amounts: readonly Amounts[]): Steps<void> {
    for (const { currency, day, number } of amounts) {
      if (yield* this.#hasRate(currency, day)) continue;
      const known = this.#found.get(currency);
      this.#found.set(currency, {
        currency: currency as CurrencyCode,
        count: (known?.count ?? 0) + number,
        first_date: known === undefined || day < known.first_date ? day : known.first_date,
        last_date: known === undefined || day > known.last_date ? day : known.last_date,
      });
    }
  }

  *#hasRate(currency: string, day: string): Steps<boolean> {
    const key = `${currency} ${day}`;
    const { rates, to } = this.#conversion;
    const known = this.#known.get(key) ?? (yield* rates.convert(0, currency, to, day)) !== null;
    this.#known.set(key, known);
    return known;
  }
}
