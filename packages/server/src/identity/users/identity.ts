import type { Book, User } from '../../operations/caller.ts';

/** A user with the number of books. */
export type ListedUser = User & { readonly books: number; readonly createdAt: string };

/** The number of transactions and access tokens of a book. */
export type BookContents = Readonly<Record<'transactions' | 'tokens', number>>;

/** A book to be created; the currency is a lower-case ISO 4217 code. */
export type NewBook = Pick<Book, 'userId' | 'name' | 'primaryCurrency'>;

/** A user and a first book to create; the currency is a lower-case ISO 4217 code. */
export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly bookName: string;
  readonly primaryCurrency: string;
}

/** A token to store: only its hash, not its text. */
export interface NewToken {
  readonly userId: number;
  readonly bookId: number;
  /** SHA-256 of the whole token text, 32 bytes. */
  readonly hash: Uint8Array;
  readonly label: string | null;
  /** The first instant at which the token is expired; null for never. */
  readonly expiresAt: string | null;
}

/** A stored token as its owner may see it; times are ISO 8601 in UTC, null for never. */
export interface TokenRecord {
  readonly id: number;
  readonly label: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/** The e-mail address already belongs to a user. */
export class EmailTakenError extends Error {
  override name = 'EmailTakenError';
  constructor(email: string) {
    super(`A user with the e-mail address "${email}" exists already`);
  }
}
