import type { Book, Identity, NewToken, NewUser, TokenRecord } from './identity.ts';
import type { Category } from './category.ts';
import type {
  CryptoAccount,
  CryptoProvider,
  CryptoReading,
  CryptoStatus,
  NewCryptoAccount,
} from './crypto.ts';
import type { DemoBook } from './demo/demo-book.ts';
import type { BookExport } from './export.ts';
import type { ImportPlan, ImportSummary } from './import.ts';
import type { Finding } from './finding.ts';
import type { Readiness } from './readiness.ts';
import type { TransactionPage, TransactionQuery } from './transaction-query.ts';

/**
 * What an engine owes the rest of the service: every record of every book, exactly.
 *
 * Every method is whole or not at all: it reads one snapshot, or it commits one transaction before its
 * promise resolves. A record of another book is answered exactly like one that does not exist.
 */
export interface Store {
  /** The identity behind a token hash (SHA-256, 32 bytes), or null when unknown, revoked or expired at `nowIso`. */
  authenticate(tokenHash: Uint8Array, nowIso: string): Promise<Identity | null>;
  /** Notes when a token was last used. Best effort: does nothing when the store is busy. */
  touchToken(tokenId: number, nowIso: string): Promise<void>;

  /** Makes a user and the first book. Throws {@link EmailTakenError} when the e-mail address is taken. */
  createUser(user: NewUser): Promise<Book>;
  /** The books of the user with that e-mail address (letter case does not matter), oldest first; empty when unknown. */
  findBooks(email: string): Promise<Book[]>;
  /** True when there is no user at all yet. */
  isEmpty(): Promise<boolean>;
  /** Stores a token by its hash and returns its id. */
  createToken(token: NewToken): Promise<number>;
  listTokens(bookId: number): Promise<TokenRecord[]>;
  /** Revokes a token of the book. False when the book has no such live token. */
  revokeToken(bookId: number, tokenId: number, nowIso: string): Promise<boolean>;

  /** One page in total order (date, then id, both descending). A filter by an unknown record matches nothing. */
  listTransactions(bookId: number, query: TransactionQuery): Promise<TransactionPage>;
  /** The wire form (UTF-8 JSON) of one transaction with metadata, files and, for parents, children; or null. */
  getTransaction(bookId: number, id: number): Promise<Buffer | null>;

  /** Every category and group of the book, ordered by id. */
  listCategories(bookId: number): Promise<Category[]>;

  /** Stores a connection to a crypto provider and returns its id. */
  createCryptoAccount(bookId: number, account: NewCryptoAccount): Promise<number>;
  /** The synced crypto accounts of the book, ordered by id. */
  listCryptoAccounts(bookId: number): Promise<CryptoAccount[]>;
  /** How the provider of an account is asked; null when the book has no such account. */
  findCryptoConnection(bookId: number, id: number): Promise<CryptoConnection | null>;
  /** Replaces the balances of an account and makes it active. Null when the book has no such account (any more). */
  saveCryptoReading(
    bookId: number,
    id: number,
    reading: CryptoReading,
  ): Promise<CryptoAccount | null>;
  /** Notes how a connection stands and leaves its balances alone. False when the book has no such account. */
  setCryptoStatus(
    bookId: number,
    id: number,
    status: CryptoStatus,
    nowIso: string,
  ): Promise<boolean>;
  /** Forgets an account, its balances and its credentials. False when the book has no such account. */
  removeCryptoAccount(bookId: number, id: number): Promise<boolean>;

  /** Imports a statement's entries into a book, all or nothing. */
  importEntries(bookId: number, plan: ImportPlan): Promise<ImportSummary>;
  /** Fills an empty book with the demo book, all or nothing. */
  fillDemo(bookId: number, demo: DemoBook): Promise<void>;
  /** Reads a whole book from one snapshot. */
  exportBook(bookId: number): Promise<BookExport>;

  /** Recounts and re-checks everything derived; with `repair`, mends what it finds. */
  check(options: { repair: boolean }): Promise<Finding[]>;
  /**
   * Whether records can be read and written now: a small read, and a small write only after one that the disk refused.
   * Never rejects. A lock that another process holds is no fault.
   */
  readiness(): Promise<Readiness>;
  close(): Promise<void>;
}

/** How the provider of a synced crypto account is asked. */
export interface CryptoConnection {
  readonly provider: CryptoProvider;
  readonly status: CryptoStatus;
  readonly sealedCredentials: Uint8Array;
}
