/** Transactions on a page when `limit` is not sent (rule 4 of GET /v2/transactions). */
export const defaultLimit = 1000;

/** Smallest `limit`, inclusive. */
export const minLimit = 1;

/** Largest `limit`, inclusive. A larger one is refused. */
export const maxLimit = 2000;

/** Rows skipped when `offset` is not sent. */
export const defaultOffset = 0;

/** Largest `offset`, inclusive: 2^53 - 1, the largest integer that every JSON parser keeps exactly. */
export const maxOffset = Number.MAX_SAFE_INTEGER;

/** The filter value for records without an account or a category. It is not the id of any record. */
export const noneId = 0;

/** Decimals of amounts of money in requests and responses. */
export const amountDecimals = 4;

/** Longest name of a category in characters, inclusive; the shortest has one. */
export const maxCategoryNameLength = 100;

/** Longest description of a category in characters, inclusive; it may be empty. */
export const maxCategoryDescriptionLength = 200;

/** Longest name of a tag in characters, inclusive; the shortest has one. */
export const maxTagNameLength = 100;

/** Longest `external_id` of a transaction in characters, inclusive; it may be empty. */
export const maxExternalIdLength = 75;

/** Longest `custom_metadata` as JSON in characters, inclusive. */
export const maxCustomMetadataLength = 4096;

/** Most transactions in one request that writes several, inclusive. */
export const maxTransactionsInRequest = 500;

/** Requests that a client may send in a window by default. */
export const defaultRateLimit = 100;

/** Requests under /coffer/ that a client may send in a window by default; they count apart from the others. */
export const defaultCofferRateLimit = 600;

/** Requests under /coffer/ that a session may send at once. */
export const sessionBurst = 200;

/** Requests under /coffer/ that a session may send in a second in the long run. */
export const sessionRequestsPerSecond = 20;

/** Default length of the rate limit window in seconds. */
export const defaultRateLimitWindowSeconds = 60;

/** Longest name of a manual account in characters, inclusive; the shortest has one. */
export const maxAccountNameLength = 45;

/** Decimals of quantities of crypto assets in responses. */
export const cryptoDecimals = 18;

/** Longest name of a crypto asset in characters, inclusive; the shortest has one. */
export const maxCryptoNameLength = 45;

/** Longest symbol of a crypto asset in characters, inclusive; the shortest has one. */
export const maxCryptoSymbolLength = 25;

/** Longest id of an asset at CoinGecko in characters, inclusive; the shortest has one. */
export const maxCoingeckoIdLength = 100;

/** Longest full name of a cryptocurrency in characters, inclusive; the shortest has one. */
export const maxCryptoFullNameLength = 200;

/** Longest name of an institution in characters, inclusive; the shortest has one. */
export const maxCryptoInstitutionLength = 50;
