import type { Category } from './category.ts';
import type { CryptoAccount } from './crypto.ts';
import type { Book } from './identity.ts';

/** A whole book from one snapshot. Each iterable can be read once; amounts are ten-thousandths, debit positive. */
export interface BookExport {
  readonly book: Book;
  readonly manualAccounts: readonly ExportedRecord[];
  readonly plaidAccounts: readonly ExportedRecord[];
  readonly categories: readonly Category[];
  readonly tags: readonly ExportedRecord[];
  /** With their balances, without their credentials. */
  readonly cryptoAccounts: readonly CryptoAccount[];
  /** Every transaction there is, pending rows, split parents and group members too, ascending by id. */
  readonly transactions: AsyncIterable<ExportedTransaction>;
}

/** An account or a tag with the columns that the store has for it. */
export type ExportedRecord = Readonly<Record<string, string | number | boolean | null>>;

/** One transaction of an export, with the names that its ids stand for. */
export interface ExportedTransaction {
  readonly date: string;
  /** Ten-thousandths, debit positive. */
  readonly amount: number;
  readonly currency: string;
  readonly payee: string;
  readonly notes: string | null;
  readonly categoryName: string | null;
  readonly accountName: string | null;
  readonly externalId: string | null;
  readonly tagNames: readonly string[];
  readonly status: string;
  readonly id: number;
  /** The wire form of the row with metadata (UTF-8 JSON text). */
  readonly json: string;
}
