/*
 * Every known difference between Coffer's responses and the vendor's document, with its reason. The page
 * docs/reference/compatibility.md is generated from it.
 */

/** The status that their document has in place of ours. */
export const otherStatus: Readonly<Record<string, number>> = {
  // Every other GET and PUT has 200, as their prose says. Known clients accept both.
  'GET /v2/categories/{id} 200': 201,
  'PUT /v2/transactions/{id} 200': 201,
};

/** Statuses of their document that Coffer never returns. */
export const unusedStatuses: Readonly<Record<string, string>> = {
  'GET /v2/recurring_items 404': 'the list names no record; the example is that of one item',
};

/** Statuses that any operation can have, and that their document leaves out where it says nothing of them. */
export const everywhere: Readonly<Record<number, string>> = {
  304: 'a response has an ETag, and `If-None-Match` gets 304',
  400: 'an unknown parameter or a malformed request is refused',
  405: 'another method on the path is refused, with `Allow`',
  408: 'a request that is not complete in time is refused',
  413: 'a body that is too large is refused',
  414: 'a target that is too long is refused',
  415: 'a body of another type is refused',
  429: 'the rate limit applies to every operation',
  500: 'an error in the service',
  503: 'the database cannot be reached, or the service is stopping',
};

/** Statuses of single operations that their document does not have. */
export const ownStatuses: Readonly<Record<string, string>> = {
  'POST /v2/transactions/split/{id} 404': 'the path names a transaction that does not exist',
  'POST /v2/cryptocurrencies 502': 'the price source failed, or none is set',
  'POST /v2/cryptocurrencies 504': 'the price source did not respond in time',
  'POST /v2/crypto/synced/{id}/refresh 502': 'the provider failed',
  'POST /v2/crypto/synced/{id}/refresh 504': 'the provider did not respond in time',
};

/** Statuses of requests with an `Idempotency-Key`, which POST accepts. */
export const ofKeys: Readonly<Record<number, string>> = {
  409: 'an equal request with the same `Idempotency-Key` is still running',
  422: 'the `Idempotency-Key` was used for another request',
};

/** Returns why a response has a status that their document does not have, or null if there is no reason. */
export function statusDifference(name: string, status: number): string | null {
  const ofKey = name.startsWith('POST ') ? ofKeys[status] : undefined;
  return ownStatuses[`${name} ${status}`] ?? everywhere[status] ?? ofKey ?? null;
}

interface ObjectSchema {
  readonly properties: Record<string, object>;
}

/** Changes the schemas of their document where their released client is newer. */
export function newerParts(schemas: Record<string, object>): void {
  const balance = schemas['cryptoSyncedBalance'] as ObjectSchema;
  balance.properties['display_name'] = { type: ['string', 'null'] };
  // Entries have a month in place of the first day of the month; that of the present month has no id.
  const { properties } = schemas['balanceHistoryObject'] as ObjectSchema;
  const isKept = ([name]: [string, object]): boolean => !['date', 'id'].includes(name);
  const kept = Object.fromEntries(Object.entries(properties).filter(isKept));
  const month = { type: 'string', pattern: '^\\d{4}-(0[1-9]|1[0-2])$' };
  const required = ['month', 'balance', 'currency', 'to_base', 'crypto_balance', 'type'];
  const entry = (type: string, more: Record<string, object | undefined>): object => ({
    type: 'object',
    additionalProperties: false,
    properties: { ...kept, month, type: { const: type }, ...more },
    required: [...required, ...Object.keys(more)],
  });
  const kinds = [entry('historical', { id: properties['id'] }), entry('current', {})];
  schemas['balanceHistoryObject'] = { oneOf: kinds };
}
