import { formatAmount } from '@coffer/core/money';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { blocksOf, padded } from '../db/blocks.ts';
import { dialectOf, type Steps } from '../db/engine.ts';
import { isOrNull, rowAs, rowsAs, type Shaped } from '../db/rows.ts';
import { flag, integer, nullable, text } from '../db/table.ts';
import type { Edit, Form, ExistingRow } from './comparison.ts';

/** How a file, or the book, has a transaction. */
const content = {
  date: text,
  amount: integer,
  payee: text,
  external_id: nullable(text),
  is_pending: flag,
};
const rowShape = { ...content, id: integer, currency: text, import_id: nullable(integer) };
const shape = { ...rowShape, is_split_parent: flag };

/** The payee is the imported one, so a row with a changed payee is still the same. */
const columns = sql`t.id, t.date, -t.amount AS amount, t.currency, coalesce(t.original_name, t.payee) AS payee,
  t.external_id, t.import_id, t.is_pending, t.is_split_parent`;

/** The columns of {@link columns}. */
const readColumns =
  'id, date, amount, currency, original_name, payee, external_id, import_id, is_pending, is_split_parent';

const formShape = { ...content, transaction_id: integer, format: nullable(text) };

const originShape = {
  ...rowShape,
  now_date: nullable(text),
  now_amount: nullable(integer),
  now_currency: nullable(text),
  now_payee: nullable(text),
  now_external_id: nullable(text),
  now_pending: nullable(flag),
  is_elsewhere: flag,
};

/** What a file had said of a row that a user changed or deleted, and the row as it is. */
type Origin = Shaped<typeof originShape>;

/** How files had a row, besides the import that created it. */
interface NotedForm extends Form {
  readonly format: string | null;
}

type Found = { readonly [K in keyof typeof shape]: NonNullable<(typeof shape)[K]['value']> | null };

/** Reads transactions of a book with the forms in which files had them. */
export class RowReader {
  readonly #bookId: number;
  readonly #format: string | null;
  /** The formats of the imports whose rows were read. */
  readonly #formats = new Map<number, string | null>();
  /** Whether the book has rows in tables about imports. */
  readonly #hasRows = new Map<string, boolean>();

  /** `format` is that of the import. */
  constructor(bookId: number, format: string | null) {
    this.#bookId = bookId;
    this.#format = format;
  }

  /** Returns the rows of a condition on transactions of an account, which are called `t`. */
  *where(account: number | null, condition: Sql): Steps<ExistingRow[]> {
    const found = yield* rowsAs(
      shape,
      sql`SELECT ${columns} FROM transactions t WHERE ${condition}`,
    );
    return yield* this.#known(found, yield* this.#originsOf(account, found));
  }

  /** As {@link where}, for rows of several manual accounts, by account. */
  *ofAccounts(condition: Sql): Steps<Map<number, ExistingRow[]>> {
    const found = yield* rowsAs(
      { ...shape, manual_account_id: integer },
      sql`SELECT ${columns}, t.manual_account_id FROM transactions t WHERE ${condition}`,
    );
    const known = new Map<number, ExistingRow[]>();
    for (const [account, rows] of Map.groupBy(found, (each) => each.manual_account_id))
      known.set(account, yield* this.#known(rows, yield* this.#originsOf(account, rows)));
    return known;
  }

  /** Returns the rows of an account with external ids that match a condition. */
  *ofIds(account: number | null, ids: readonly string[], condition: Sql): Steps<ExistingRow[]> {
    const all = padded(ids, ids[0]!).map((id) => sql`(CAST(${id} AS TEXT))`);
    const wanted = sql`WITH wanted (id) AS (VALUES ${join(all)})`;
    return yield* this.#ofEach(account, wanted, sql`t.external_id = wanted.id AND ${condition}`);
  }

  /** Returns the rows of an account with external ids in ranges, both ends exclusive, that match a condition. */
  *inRanges(
    account: number | null,
    ranges: readonly (readonly [above: string, below: string])[],
    condition: Sql,
  ): Steps<ExistingRow[]> {
    const all = padded(ranges, ranges[0]!).map(
      ([above, below]) => sql`(CAST(${above} AS TEXT), CAST(${below} AS TEXT))`,
    );
    const wanted = sql`WITH wanted (above, below) AS (VALUES ${join(all)})`;
    const isInside = sql`t.external_id > wanted.above AND t.external_id < wanted.below`;
    return yield* this.#ofEach(account, wanted, sql`${isInside} AND ${condition}`);
  }

  /**
   * Looks up each row of `wanted` in the index of ids. Without statistics of rows that are new, an engine may read all
   * rows of the account instead, and compare each with all that is wanted. The order decides which of several rows with
   * one id is known first, so it is the same on every engine.
   */
  *#ofEach(account: number | null, wanted: Sql, where: Sql): Steps<ExistingRow[]> {
    const index = 'transactions_by_external_id';
    const { transactionsOfEach } = yield* dialectOf();
    const of = { of: sql`wanted`, index, columns: readColumns, where };
    const found = yield* rowsAs(
      shape,
      sql`${wanted} SELECT DISTINCT ${columns} ${transactionsOfEach(of)} ORDER BY t.id`,
    );
    return yield* this.#known(found, yield* this.#originsOf(account, found));
  }

  /** Whether the book has rows that files had in other forms than that of their import. */
  hasForms(): Steps<boolean> {
    return this.#hasSome('import_forms');
  }

  /** Whether the book has rows that a user changed or deleted after a file had them. */
  hasOrigins(): Steps<boolean> {
    return this.#hasSome('import_origins');
  }

  *#hasSome(table: 'import_forms' | 'import_origins'): Steps<boolean> {
    const known = this.#hasRows.get(table);
    if (known !== undefined) return known;
    const found = yield* rowAs(
      { transaction_id: integer },
      sql`SELECT transaction_id FROM ${raw(table)} WHERE book_id = ${this.#bookId} LIMIT 1`,
    );
    this.#hasRows.set(table, found !== undefined);
    return found !== undefined;
  }

  /**
   * Returns the rows that files had in an account, and that are gone or changed, as the files had them. The condition
   * is on the origins, which are called `o`. Rows that are gone because their import was undone are not returned.
   */
  *changed(account: number | null, condition: Sql): Steps<ExistingRow[]> {
    if (!(yield* this.hasOrigins())) return [];
    const origins = yield* this.#originsWhere(
      account,
      sql`${isOrNull(sql`o.manual_account_id`, account)} AND o.plaid_account_id IS NULL AND ${condition}
        AND (t.id IS NOT NULL OR i.undone_version IS NULL)`,
    );
    const edited = origins.filter((each) => editOf(each) !== null);
    return yield* this.#known(
      edited.map((each) => ({ ...each, is_split_parent: false })),
      new Map(edited.map((each) => [each.id, each])),
    );
  }

  *#originsWhere(account: number | null, condition: Sql): Steps<Origin[]> {
    const isHere = sql`${isOrNull(sql`t.manual_account_id`, account)} AND t.plaid_account_id IS NULL`;
    return yield* rowsAs(
      originShape,
      sql`SELECT o.transaction_id AS id, o.date, -o.amount AS amount, o.currency, o.payee, o.external_id,
          o.import_id, o.is_pending, t.date AS now_date, -t.amount AS now_amount, t.currency AS now_currency,
          coalesce(t.original_name, t.payee) AS now_payee, t.external_id AS now_external_id,
          t.is_pending AS now_pending, CASE WHEN t.id IS NULL OR (${isHere}) THEN 0 ELSE 1 END AS is_elsewhere
        FROM import_origins o
        LEFT JOIN transactions t ON t.book_id = o.book_id AND t.id = o.transaction_id
        LEFT JOIN imports i ON i.book_id = o.book_id AND i.id = o.import_id
        WHERE o.book_id = ${this.#bookId} AND ${condition} ORDER BY o.transaction_id`,
    );
  }

  /** Returns what files had said of rows of an account, by id. */
  *#originsOf(account: number | null, found: readonly Found[]): Steps<Map<number, Origin>> {
    const origins = new Map<number, Origin>();
    if (!(yield* this.hasOrigins())) return origins;
    for (const block of blocksOf(found.map(({ id }) => id!))) {
      const isOf = sql`o.transaction_id IN (${join(padded(block, block[0]!))})`;
      for (const each of yield* this.#originsWhere(account, isOf)) origins.set(each.id, each);
    }
    return origins;
  }

  *#known(found: readonly Found[], origins: ReadonlyMap<number, Origin>): Steps<ExistingRow[]> {
    if (found.length === 0) return [];
    const forms = (yield* this.hasForms())
      ? yield* this.#formsOf(found)
      : new Map<number, NotedForm[]>();
    yield* this.#readFormats(found);
    return found.map((each) => {
      const origin = origins.get(each.id!);
      const edit = origin === undefined ? null : editOf(origin);
      const said = edit === null ? each : { ...each, ...origin };
      return { ...this.#toKnown(said, forms.get(each.id!) ?? []), edit };
    });
  }

  /** A book may have thousands of imports, so only those of the rows are read. */
  *#readFormats(found: readonly Found[]): Steps<void> {
    const missing = new Set<number>();
    for (const { import_id: id } of found)
      if (id !== null && !this.#formats.has(id)) missing.add(id);
    for (const block of blocksOf([...missing])) {
      const imports = yield* rowsAs(
        { id: integer, format: nullable(text) },
        sql`SELECT id, format FROM imports
          WHERE book_id = ${this.#bookId} AND id IN (${join(padded(block, block[0]!))})`,
      );
      for (const { id, format } of imports) this.#formats.set(id, format);
    }
  }

  *#formsOf(found: readonly Found[]): Steps<Map<number, NotedForm[]>> {
    const forms = new Map<number, NotedForm[]>();
    const byId = new Map(found.map((each) => [each.id!, each]));
    for (const block of blocksOf([...byId.keys()])) {
      const all = yield* rowsAs(
        formShape,
        sql`SELECT transaction_id, format, date, -amount AS amount, payee, external_id, is_pending FROM import_forms
          WHERE book_id = ${this.#bookId} AND transaction_id IN (${join(padded(block, block[0]!))})
          ORDER BY version`,
      );
      for (const { transaction_id: id, external_id: externalId, is_pending, ...rest } of all) {
        const currency = byId.get(id)!.currency!;
        const form = { ...rest, currency, externalId, isPending: is_pending };
        forms.set(id, [...(forms.get(id) ?? []), form]);
      }
    }
    return forms;
  }

  #toKnown(found: Found, noted: readonly NotedForm[]): Omit<ExistingRow, 'edit'> {
    const { id, date, amount, currency, payee, external_id, import_id } = found;
    const format = import_id === null ? null : (this.#formats.get(import_id) ?? null);
    const own = {
      id: id!,
      date: date!,
      amount: amount!,
      currency: currency!,
      payee: payee!,
      externalId: external_id,
      isPending: found.is_pending === true,
      isSplit: found.is_split_parent === true,
      format,
    };
    const isSame = format === this.#format;
    const added = noted.filter((form) => form.format === this.#format);
    if (isSame || added.some(({ isPending }) => isPending === own.isPending))
      return {
        ...own,
        relation: 'same',
        forms: isSame ? [withOwnId(own, noted), ...added] : added,
      };
    // Equal texts are believed even if the format is not known.
    if (format === null || this.#format === null)
      return { ...own, relation: 'unknown', forms: [own, ...added] };
    return { ...own, relation: 'other', forms: added };
  }
}

/** Returns what a user did to a row; null if it is as the file had it. */
function editOf(origin: Origin): Edit | null {
  const { id, now_date: date, now_amount: amount, now_currency: currency } = origin;
  const of = `transaction ${id}`;
  if (date === null || amount === null || currency === null)
    return { now: null, why: `you deleted ${of}` };
  const changes = [
    ['date', origin.date, date],
    ['amount', formatAmount(origin.amount), formatAmount(amount)],
    ['currency', origin.currency, currency],
  ].filter(([, before, after]) => before !== after);
  const isElsewhere = origin.is_elsewhere;
  if (changes.length === 0 && !isElsewhere) return null;
  const why = [
    ...(isElsewhere ? [`you moved ${of} to another account`] : []),
    ...changes.map(([what, before, after]) => {
      return `you changed the ${what} of ${of} from ${before} to ${after}`;
    }),
  ].join('; ');
  const { now_payee: payee, now_external_id: externalId, now_pending: isPending } = origin;
  const now = { date, amount, currency, payee: payee!, externalId, isPending: isPending === true };
  return { now: isElsewhere ? null : now, why };
}

/** Returns a form without an id that the row took from another format. */
function withOwnId(own: NotedForm, noted: readonly NotedForm[]): Form {
  const isTaken = noted.some(
    ({ format, externalId }) => format !== own.format && externalId === own.externalId,
  );
  return isTaken ? { ...own, externalId: null } : own;
}
