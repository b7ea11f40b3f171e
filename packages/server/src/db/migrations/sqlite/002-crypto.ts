/**
 * Decimal text with exactly 18 places: `0.100020003000400050`.
 *
 * A GLOB pattern cannot count, so the point, the places and the integer part are checked one by one. The length in
 * bytes detects text after a NUL, where other functions stop.
 */
const eighteenPlaces = `octet_length(quantity) = length(quantity)
    AND substr(quantity, -19, 1) = '.'
    AND substr(quantity, -18) NOT GLOB '*[^0-9]*'
    AND substr(quantity, 1, length(quantity) - 19) NOT GLOB '*[^0-9]*'
    AND (quantity GLOB '[1-9]*' OR quantity GLOB '0.*')`;

/**
 * The second schema: connections to providers of crypto assets, and their last known balances.
 *
 * Credentials are encrypted; the database cannot decrypt them. The value in the book's currency (`to_base`) is integer
 * ten-thousandths. It and the time of the price are both set or both null.
 */
export const crypto = `
CREATE TABLE crypto_synced_accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  book_id INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  provider TEXT NOT NULL CHECK (provider IN ('kraken', 'coinbase', 'ethereum')),
  status TEXT NOT NULL CHECK (status IN ('active', 'unsupported', 'relink', 'initializing')),
  display_name TEXT,
  sealed_credentials BLOB NOT NULL CHECK (length(sealed_credentials) > 0),
  created_by_name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_import TEXT,
  UNIQUE (book_id, id)
) STRICT;

CREATE TABLE crypto_synced_balances (
  book_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  symbol TEXT NOT NULL CHECK (length(symbol) BETWEEN 1 AND 25 AND symbol NOT GLOB '*[^0-9a-z]*'),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 45),
  quantity TEXT NOT NULL CHECK (${eighteenPlaces}),
  coingecko_id TEXT,
  to_base INTEGER CHECK (to_base BETWEEN -9007199254740991 AND 9007199254740991),
  price_as_of TEXT,
  read_at TEXT NOT NULL,
  PRIMARY KEY (book_id, account_id, symbol),
  FOREIGN KEY (book_id, account_id) REFERENCES crypto_synced_accounts (book_id, id) ON DELETE CASCADE,
  CHECK ((to_base IS NULL) = (price_as_of IS NULL))
) STRICT, WITHOUT ROWID;
`;
