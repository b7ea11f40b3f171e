import sql, { join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { blocksOf, padded } from '../db/blocks.ts';
import { dialectOf } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { rowAs, rowsAs } from '../db/rows.ts';
import { flag, integer, nullable, text } from '../db/table.ts';
import type { Form, KnownRow } from './forms.ts';

const shape = {
  id: integer,
  date: text,
  amount: integer,
  currency: text,
  payee: text,
  external_id: nullable(text),
  import_id: nullable(integer),
  is_pending: flag,
  is_split_parent: flag,
};

/** The payee is the imported one, so a row with a changed payee is still the same. */
const columns = sql`t.id, t.date, -t.amount AS amount, t.currency, coalesce(t.original_name, t.payee) AS payee,
  t.external_id, t.import_id, t.is_pending, t.is_split_parent`;

/** The columns of {@link columns}. */
const readColumns =
  'id, date, amount, currency, original_name, payee, external_id, import_id, is_pending, is_split_parent';

const formShape = {
  transaction_id: integer,
  format: nullable(text),
  date: text,
  amount: integer,
  payee: text,
  external_id: nullable(text),
  is_pending: flag,
};

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
  #hasForms: boolean | undefined;

  /** `format` is that of the import. */
  constructor(bookId: number, format: string | null) {
    this.#bookId = bookId;
    this.#format = format;
  }

  /** Returns the rows of a condition on transactions, which are called `t`. */
  *where(condition: Sql): Steps<KnownRow[]> {
    return yield* this.#known(
      yield* rowsAs(shape, sql`SELECT ${columns} FROM transactions t WHERE ${condition}`),
    );
  }

  /** Returns the rows of a condition with external ids. */
  *ofIds(ids: readonly string[], condition: Sql): Steps<KnownRow[]> {
    const all = padded(ids, ids[0]!).map((id) => sql`(CAST(${id} AS TEXT))`);
    const wanted = sql`WITH wanted (id) AS (VALUES ${join(all)})`;
    return yield* this.#ofEach(wanted, sql`t.external_id = wanted.id AND ${condition}`);
  }

  /** Returns the rows of a condition with external ids in ranges, both ends exclusive. */
  *inRanges(
    ranges: readonly (readonly [above: string, below: string])[],
    condition: Sql,
  ): Steps<KnownRow[]> {
    const all = padded(ranges, ranges[0]!).map(
      ([above, below]) => sql`(CAST(${above} AS TEXT), CAST(${below} AS TEXT))`,
    );
    const wanted = sql`WITH wanted (above, below) AS (VALUES ${join(all)})`;
    const isInside = sql`t.external_id > wanted.above AND t.external_id < wanted.below`;
    return yield* this.#ofEach(wanted, sql`${isInside} AND ${condition}`);
  }

  /**
   * Looks up each row of `wanted` in the index of ids. Without statistics of rows that are new, an engine may read all
   * rows of the account instead, and compare each with all that is wanted. The order decides which of several rows with
   * one id is known first, so it is the same on every engine.
   */
  *#ofEach(wanted: Sql, where: Sql): Steps<KnownRow[]> {
    const index = 'transactions_by_external_id';
    const { transactionsOfEach } = yield* dialectOf();
    const of = { of: sql`wanted`, index, columns: readColumns, where };
    const found = sql`${wanted} SELECT DISTINCT ${columns} ${transactionsOfEach(of)} ORDER BY t.id`;
    return yield* this.#known(yield* rowsAs(shape, found));
  }

  /** Whether the book has rows that files had in other forms than that of their import. */
  *hasForms(): Steps<boolean> {
    if (this.#hasForms === undefined) {
      const form = yield* rowAs(
        { version: integer },
        sql`SELECT version FROM import_forms WHERE book_id = ${this.#bookId} LIMIT 1`,
      );
      this.#hasForms = form !== undefined;
    }
    return this.#hasForms;
  }

  *#known(found: readonly Found[]): Steps<KnownRow[]> {
    if (found.length === 0) return [];
    const forms = (yield* this.hasForms())
      ? yield* this.#formsOf(found)
      : new Map<number, NotedForm[]>();
    yield* this.#readFormats(found);
    return found.map((each) => this.#toKnown(each, forms.get(each.id!) ?? []));
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

  #toKnown(found: Found, noted: readonly NotedForm[]): KnownRow {
    const { id, date, amount, currency, payee, external_id, import_id } = found;
    const format = import_id === null ? null : (this.#formats.get(import_id) ?? null);
    const own = {
      ...{ id: id!, date: date!, amount: amount!, currency: currency!, payee: payee! },
      ...{ externalId: external_id, isPending: found.is_pending === true },
      ...{ isSplit: found.is_split_parent === true, format },
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

/** Returns a form without an id that the row took from another format. */
function withOwnId(own: NotedForm, noted: readonly NotedForm[]): Form {
  const isTaken = noted.some(
    ({ format, externalId }) => format !== own.format && externalId === own.externalId,
  );
  return isTaken ? { ...own, externalId: null } : own;
}
