import {
  checked,
  sorted,
  unique,
  integer,
  text,
  sortedText,
  bytes,
  anyDay,
  currency,
  digest,
  sealed,
  id,
  userId,
  looseBookId,
  oneOf,
  nullable,
  withDefault,
  partOf,
  serverTable,
} from '../table.ts';

/* What is no record of a book: users and their sessions, rates, jobs, repeated requests and webhooks. */

export const users = serverTable(
  'users',
  { id, email: sortedText, name: text, created_at: sortedText },
  { sqliteRows: 'id' },
);

export const books = serverTable(
  'books',
  {
    id,
    user_id: userId,
    name: text,
    primary_currency: currency,
    version: withDefault(integer, 1),
    created_at: sortedText,
    changed_at: withDefault(sortedText, '1970-01-01T00:00:00.000Z'),
    /** The change log has the changes after this version. */
    pruned_version: withDefault(integer, 0),
    /** The version up to which `transaction_texts` and `transaction_sums` are kept; an older node does not raise it. */
    derived_version: withDefault(integer, 1),
    /** The version up to which `hidden_counts` is kept; an older node does not raise it. */
    hidden_counts_version: withDefault(integer, 1),
    /** The version up to which `status_counts` and `activity_sums` are kept; an older node does not raise it. */
    activity_version: withDefault(integer, 1),
    /** The version up to which `account_days` is kept; an older node does not raise it. */
    account_days_version: withDefault(integer, 1),
    /** Only for nodes of the first release: the version up to which `transaction_texts` has their texts. */
    texts_version: withDefault(integer, 1),
    /** Until when somebody works on the import of the book; null for a whole book. Lists show whole books only. */
    incomplete_until_ms: nullable(integer),
  },
  { sqliteRows: 'id', noun: 'book' },
);

export const accessTokens = serverTable(
  'access_tokens',
  {
    id,
    user_id: userId,
    book_id: looseBookId,
    token_hash: unique(digest),
    label: nullable(text),
    created_at: sortedText,
    last_used_at: nullable(text),
    expires_at: nullable(sortedText),
    revoked_at: nullable(text),
  },
  { sqliteRows: 'id' },
);

/** Facts about the database itself. It gets a new `id` when it is created, restored or moved. */
export const databaseIdentity = serverTable(
  'database_identity',
  { name: sortedText, value: text },
  { key: ['name'] },
);

/** Browsers that are signed in. A session is valid until `ends_at`, and for 30 days after `seen_at`. */
export const sessions = serverTable('sessions', {
  id,
  /** SHA-256 of the text in the cookie. */
  secret_hash: unique(digest),
  user_id: userId,
  book_id: looseBookId,
  method: oneOf('link', 'password', 'passkey'),
  user_agent: nullable(text),
  /** The id of the database that the session is of. */
  database_id: sortedText,
  created_at: sortedText,
  /** When it was last used, to the minute. */
  seen_at: sortedText,
  ends_at: sortedText,
});

/** Links that sign a user in once. */
export const signInLinks = serverTable('sign_in_links', {
  id,
  /** SHA-256 of the text in the link. */
  secret_hash: unique(digest),
  user_id: userId,
  book_id: looseBookId,
  /** The id of the database that the link is of. */
  database_id: sortedText,
  created_at: text,
  expires_at: sortedText,
});

/** The password of a user as a hash in the PHC string format. */
export const passwords = serverTable(
  'passwords',
  { user_id: userId, phc: text, changed_at: text },
  { key: ['user_id'] },
);

/** Public keys with which users sign in. */
export const passkeys = serverTable('passkeys', {
  id,
  user_id: userId,
  name: text,
  credential_id: unique(checked(bytes, 'length(@) > 0')),
  /** A COSE key. */
  public_key: bytes,
  /** How often it was used, as the authenticator counts; 0 if it does not count. */
  counter: integer,
  /** How a browser reaches it, as a JSON array. */
  transports: text,
  /** The name of the host that it is for. */
  host: text,
  created_at: text,
  used_at: nullable(text),
});

/** What a passkey must sign, once. */
export const passkeyChallenges = serverTable('passkey_challenges', {
  id,
  challenge: unique(digest),
  /** The user who creates a passkey; null for one who signs in. */
  user_id: nullable(userId),
  expires_at: sortedText,
});

/** Passwords that were wrong, by the hash of what is slowed: an account, a source, or both. */
export const signInFailures = serverTable('sign_in_failures', {
  id,
  subject: unique(digest),
  failures: withDefault(integer, 0),
  /** Until then no password is tried. */
  blocked_until_ms: withDefault(integer, 0),
  /** When the failures no longer count. */
  forgotten_at: sortedText,
});

/** What one euro is worth on a date: `per_eur` units of a currency, as an exact decimal without needless zeros. */
export const exchangeRates = serverTable(
  'exchange_rates',
  {
    currency: sortedText,
    date: sorted(anyDay),
    per_eur: text,
    /** Where the rate comes from: a file that was imported, or the URL of the server's settings. */
    source: oneOf('file', 'url'),
    read_at: text,
  },
  { noun: 'exchange rate', key: ['currency', 'date'] },
);

/**
 * New rates that not all books have been updated for; no row if there are none. `since` is the first date with a new
 * rate, and books up to `last_book_id` are done. `mark` changes when more rates arrive.
 */
export const rerates = serverTable(
  'rerates',
  { name: sortedText, since: text, last_book_id: integer, mark: integer },
  { key: ['name'] },
);

/** When each job of the server last started a run that succeeded. */
export const jobRuns = serverTable(
  'job_runs',
  { name: sortedText, ran_at: text },
  { key: ['name'] },
);

/** Exclusive rights for a limited time, such as to refresh an account. `number` grows with every holder. */
export const leases = serverTable(
  'leases',
  { name: sortedText, holder: text, expires_at_ms: integer, number: integer },
  { key: ['name'] },
);

/**
 * The last scheduled backup that succeeded, and the last that failed, by the time at which it began. `bytes` is the
 * size of the one that succeeded, `message` the reason of the other.
 */
export const backupResults = serverTable(
  'backup_results',
  {
    outcome: sorted(oneOf('succeeded', 'failed')),
    at: text,
    name: text,
    bytes: nullable(integer),
    message: nullable(text),
  },
  { key: ['outcome'] },
);

/**
 * The responses to requests with an Idempotency-Key, by access token or user, operation and key. `status` is null while
 * the request is under way; then `claim` names who performs it.
 */
export const idempotencyKeys = serverTable(
  'idempotency_keys',
  {
    book_id: integer,
    /** The id of an access token, or the negative id of a user, whose sessions share keys. */
    token_id: integer,
    operation: sortedText,
    request_key: sortedText,
    fingerprint: text,
    claim: nullable(text),
    status: nullable(integer),
    body: nullable(text),
    expires_at_ms: integer,
  },
  { key: ['book_id', 'token_id', 'operation', 'request_key'] },
);

const count = withDefault(integer, 0);

/** Where the changes of books are sent. They are no records: an undo does not change them. */
export const webhooks = serverTable(
  'webhooks',
  {
    id,
    book_id: integer,
    url: text,
    description: nullable(text),
    /** The tables whose changes are sent, as a JSON array; null for all. */
    records: nullable(text),
    /** The kinds of changes that are sent, as a JSON array; null for all. */
    kinds: nullable(text),
    sealed_secret: sealed,
    /** Also signs until `old_secret_until_ms`. */
    sealed_old_secret: nullable(bytes),
    old_secret_until_ms: nullable(integer),
    /** Null while it is enabled. */
    disabled_reason: sorted(nullable(oneOf('request', 'failing', 'gone', 'pruned', 'moved'))),
    disabled_at: nullable(text),
    /** The id of the database that the cursor is of. */
    database_id: sortedText,
    /** The first change that was not delivered. */
    cursor_version: integer,
    cursor_place: integer,
    cursor_id: integer,
    /** Since the last delivery. */
    failures: count,
    failing_since_ms: nullable(integer),
    next_attempt_ms: count,
    /** The number of the last attempt. */
    attempts: count,
    delivered_at: nullable(text),
    created_by: text,
    created_at: text,
    updated_at: text,
  },
  { key: ['book_id', 'id'] },
);

/** The last attempts of each webhook. */
export const webhookAttempts = serverTable(
  'webhook_attempts',
  {
    book_id: integer,
    webhook_id: partOf('webhooks'),
    number: integer,
    kind: oneOf('event', 'redelivery', 'ping'),
    message_id: text,
    at: text,
    duration_ms: integer,
    /** Null if there was no response. */
    status: nullable(integer),
    error: nullable(text),
    /** How many changes it had. */
    changes: integer,
    /** The cursor before the event; null for a ping. */
    from_version: nullable(integer),
    from_place: nullable(integer),
    from_id: nullable(integer),
  },
  { key: ['book_id', 'webhook_id', 'number'] },
);
