/** A person who signs in. Times are ISO 8601 in UTC with milliseconds. */
export interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
}

/** A budgeting account: `account_id` and `budget_name` in the API. */
export interface Book {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** Lower-case ISO 4217 code. */
  readonly primaryCurrency: string;
  /** Grows by at least one with every committed change of anything in the book. */
  readonly version: number;
}

/** How a user signed in. */
export type SignInMethod = 'link' | 'password' | 'passkey';

/** The access token of a request. */
export interface TokenOfCaller {
  readonly id: number;
  readonly label: string | null;
  readonly lastUsedAt: string | null;
}

/** The session of a request. Times are ISO 8601 in UTC. */
export interface SessionOfCaller {
  readonly id: number;
  readonly method: SignInMethod;
  readonly userAgent: string | null;
  readonly createdAt: string;
  readonly seenAt: string;
  /** Whenever it is used, it is valid until then; without use for 30 days. */
  readonly endsAt: string;
}

/** The caller: the user and the book of an access token or of a session. */
export interface Identity {
  readonly user: User;
  readonly book: Book;
  /** Null for a session. */
  readonly token: TokenOfCaller | null;
  /** Null for an access token. */
  readonly session: SessionOfCaller | null;
  /** Different for every caller: the id of the access token, or the negative id of the session. */
  readonly callerId: number;
  /** Random, and new whenever the database is created, restored or moved: see `database_identity`. */
  readonly databaseId: string;
}
