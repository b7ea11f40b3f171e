/*
 * The known differences between Coffer and the vendor's document, beyond statuses. The page
 * docs/reference/compatibility.md is generated from this list and from that of the statuses.
 */

/** `stricter`: more is refused. `extra`: more is possible. `other`: neither. */
export type Difference = 'stricter' | 'extra' | 'other';

/** A difference, and a sentence that explains it. */
export type Note = readonly [Difference, string];

/** Differences of several operations, by the operations. */
export const sharedNotes: Readonly<Record<string, Note>> = {
  'Every GET': [
    'extra',
    'The response has an `ETag`. A request with `If-None-Match` gets 304 while nothing has changed. HEAD is supported.',
  ],
  'Every POST': [
    'extra',
    'A request with an `Idempotency-Key` can be repeated safely: see [idempotency keys](idempotency.md). The key adds ' +
      'the status 422, and 409 where another server is involved.',
  ],
  'Every operation': [
    'stricter',
    'Query parameters and properties that are not documented are refused with 400. Their document says so for some.',
  ],
  'Every name': ['stricter', 'A name of blanks only is refused with 400.'],
};

const sentBack: Note = ['extra', 'A record of GET can be sent back as it is, with `files`.'];
const tagIds: Note = ['stricter', 'At most 500 `tag_ids`.'];
const colors: Note = ['stricter', 'Colors must be hexadecimal, with three or six digits.'];
const members: Note = ['stricter', 'At most 1000 `children`.'];
const months: Note = [
  'other',
  'Months are `month`, `start_month` and `end_month`, as in their released client. Their document has dates.',
];
const entries: Note = [
  'stricter',
  'At most 500 balances. A `crypto_balance` has at most 18 digits before the decimal point.',
];
const displayName: Note = [
  'other',
  'A balance has `display_name`, as in their released client. Their document does not have it.',
];

/** Differences of single operations. */
export const ownNotes: Readonly<Record<string, readonly Note[]>> = {
  'GET /v2/transactions': [['extra', '`start_date` and `end_date` can be used alone.']],
  'PUT /v2/transactions': [sentBack],
  'PUT /v2/transactions/{id}': [sentBack],
  'POST /v2/transactions/group': [tagIds],
  'POST /v2/transactions/split/{id}': [tagIds],
  'POST /v2/transactions/{transaction_id}/attachments': [
    [
      'stricter',
      'The content of the file decides whether its type is allowed, not the declared type.',
    ],
  ],
  'POST /v2/categories': [members],
  'PUT /v2/categories/{id}': [members],
  'POST /v2/tags': [colors],
  'PUT /v2/tags/{id}': [colors],
  'GET /v2/crypto/synced': [displayName],
  'GET /v2/crypto/synced/{id}': [displayName],
  'GET /v2/crypto/synced/{id}/{symbol}': [displayName],
  'POST /v2/crypto/synced/{id}/refresh': [displayName],
  'GET /v2/balance_history': [months],
  'GET /v2/balance_history/{account_type}/{account_id}': [months],
  'PUT /v2/balance_history/{account_type}/{account_id}': [months, entries],
  'GET /v2/balance_history/crypto_synced/{account_id}/{symbol}': [months],
  'PUT /v2/balance_history/crypto_synced/{account_id}/{symbol}': [months, entries],
};
