import sql, { join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { blocksOf, padded } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { isOrNull, rowAs, rowsAs, select } from '../db/rows.ts';
import { flag, integer, nullable, text } from '../db/table.ts';
import { imports } from '../db/tables.ts';
import type { BulkRows } from '../resources/transactions/actions.ts';
import { AccountRows } from './account-rows.ts';
import { IdSet } from './id-set.ts';
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

/** Ids of banks to look up: whole ids, and ranges of ids, both ends exclusive. */
export interface WantedIds {
  readonly ids: readonly string[];
  readonly ranges: readonly (readonly [above: string, below: string])[];
}

/** Days around a date in which its transaction may be in the book. Its month and at most one other are loaded. */
const reach = 7;

/** Reads the transactions that a book had before an import, by month and by ids, block by block. */
export class KnownRows {
  readonly #bookId: number;
  readonly #format: string | null;
  readonly #written: BulkRows;
  readonly #accounts = new Map<number | null, AccountRows>();
  readonly #formats = new Map<number, string | null>();
  readonly #claimed = new IdSet();
  /** Whether the book has rows that several formats have. */
  #hasForms = false;
  readonly #sharesIds = new Map<number | null, boolean>();

  /** `written` are the rows of the import itself. */
  constructor(bookId: number, format: string | null, written: BulkRows) {
    this.#bookId = bookId;
    this.#format = format;
    this.#written = written;
  }

  /** Reads what all other reads need. */
  *begin(): Steps<void> {
    const book_id = this.#bookId;
    for (const { id, format } of yield* select(imports, { book_id })) this.#formats.set(id, format);
    const form = yield* rowAs(
      { version: integer },
      sql`SELECT version FROM import_forms WHERE book_id = ${book_id} LIMIT 1`,
    );
    this.#hasForms = form !== undefined;
  }

  /** Returns the loaded rows of an account. */
  of(account: number | null): AccountRows {
    let rows = this.#accounts.get(account);
    if (rows === undefined) {
      rows = new AccountRows(this.#claimed);
      this.#accounts.set(account, rows);
    }
    return rows;
  }

  /** Makes a row belong to an entry of the file. */
  claim(account: number | null, row: KnownRow): void {
    this.#claimed.add(row.id);
    this.of(account).forget(row);
  }

  /** Loads the rows of an account that an entry with this date may be, except by its id. */
  *loadAround(account: number | null, date: string): Steps<void> {
    const rows = this.of(account);
    if (!rows.hasLoadedPending) {
      rows.hasLoadedPending = true;
      yield* this.#load(account, sql`t.is_pending = 1`);
    }
    const month = date.slice(0, 7);
    yield* this.#loadMonth(account, month);
    const day = Number(date.slice(8));
    if (day <= reach) yield* this.#loadMonth(account, monthAfter(month, -1));
    // Every month has 28 days.
    if (day + reach > 28) yield* this.#loadMonth(account, monthAfter(month, 1));
  }

  /** Returns all rows of an account with some ids of a bank, claimed or not. */
  *withIds(account: number | null, { ids, ranges }: WantedIds): Steps<KnownRow[]> {
    const found: KnownRow[] = [];
    for (const block of blocksOf(ids)) {
      const list = join(padded(block, block[0]!));
      found.push(...(yield* this.#load(account, sql`t.external_id IN (${list})`)));
      if (this.#hasForms) found.push(...(yield* this.#withFormIds(account, list)));
    }
    if (ranges.length > 0 && (yield* this.#hasSharedIds(account)))
      for (const block of blocksOf(ranges)) found.push(...(yield* this.#inRanges(account, block)));
    return [...new Set(found)];
  }

  *#loadMonth(account: number | null, month: string): Steps<void> {
    const { loadedMonths } = this.of(account);
    if (loadedMonths.has(month)) return;
    loadedMonths.add(month);
    yield* this.#load(account, sql`t.date BETWEEN ${`${month}-01`} AND ${`${month}-31`}`);
  }

  *#withFormIds(account: number | null, list: Sql): Steps<KnownRow[]> {
    const found = yield* rowsAs(
      { transaction_id: integer },
      sql`SELECT DISTINCT transaction_id FROM import_forms
        WHERE book_id = ${this.#bookId} AND external_id IN (${list})`,
    );
    const rows: KnownRow[] = [];
    for (const block of blocksOf(found.map((each) => each.transaction_id)))
      rows.push(...(yield* this.#load(account, sql`t.id IN (${join(padded(block, block[0]!))})`)));
    return rows;
  }

  /** Few accounts have ids that a bank used more than once. */
  *#hasSharedIds(account: number | null): Steps<boolean> {
    const known = this.#sharesIds.get(account);
    if (known !== undefined) return known;
    const found = yield* rowAs(
      { id: integer },
      sql`SELECT t.id FROM transactions t WHERE ${this.#ofAccount(account)}
        AND t.external_id IS NOT NULL AND t.external_id LIKE '%~%' LIMIT 1`,
    );
    this.#sharesIds.set(account, found !== undefined);
    return found !== undefined;
  }

  *#inRanges(account: number | null, ranges: WantedIds['ranges']): Steps<KnownRow[]> {
    const all = padded(ranges, ranges[0]!).map(
      ([above, below]) => sql`(CAST(${above} AS TEXT), CAST(${below} AS TEXT))`,
    );
    return yield* this.#read(
      account,
      sql`WITH wanted (above, below) AS (VALUES ${join(all)})
        SELECT DISTINCT ${columns} FROM wanted JOIN transactions t
          ON t.external_id > wanted.above AND t.external_id < wanted.below
        WHERE ${this.#ofAccount(account)} AND t.id < ${this.#written.firstId}`,
    );
  }

  /** Parts of splits and groups are no transactions of an account. */
  *#load(account: number | null, and: Sql): Steps<KnownRow[]> {
    return yield* this.#read(
      account,
      sql`SELECT ${columns} FROM transactions t WHERE ${this.#ofAccount(account)} AND ${and}
        AND t.split_parent_id IS NULL AND t.is_group_parent = 0 AND t.id < ${this.#written.firstId}`,
    );
  }

  #ofAccount(account: number | null): Sql {
    return sql`t.book_id = ${this.#bookId} AND ${isOrNull(sql`t.manual_account_id`, account)}
      AND t.plaid_account_id IS NULL`;
  }

  *#read(account: number | null, statement: Sql): Steps<KnownRow[]> {
    const found = yield* rowsAs(shape, statement);
    const forms = this.#hasForms ? yield* this.#formsOf(found) : new Map<number, NotedForm[]>();
    const rows = this.of(account);
    return found.map((each) => rows.add(this.#toKnown(each, forms.get(each.id) ?? [])));
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

/** Returns the month, `YYYY-MM`, some months after another one. */
function monthAfter(month: string, months: number): string {
  const at = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + months;
  const year = String(Math.floor(at / 12)).padStart(4, '0');
  return `${year}-${String((at % 12) + 1).padStart(2, '0')}`;
}
