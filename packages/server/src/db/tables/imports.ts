import {
  sorted,
  local,
  integer,
  text,
  sortedText,
  bytes,
  flag,
  anyDay,
  id,
  oneOf,
  nullable,
  withDefault,
  idOf,
  partOf,
  bookTable,
  serverTable,
} from '../table.ts';

const count = withDefault(integer, 0);

/** The imports of statements. They stay when the book forgets the change, and when the import is undone. */
export const imports = serverTable(
  'imports',
  {
    id,
    book_id: integer,
    /** The change of the book; null if the book had all entries already. */
    version: nullable(integer),
    /** The change that undid it; null if it is not undone. */
    undone_version: nullable(integer),
    /** Null if it is not known. Payees of different formats are not compared. */
    format: nullable(text),
    at: sortedText,
    actor: local(text),
    file_name: nullable(text),
    /** SHA-256 of the file, in hexadecimal digits. */
    file_hash: nullable(text),
    first_date: nullable(anyDay),
    last_date: nullable(anyDay),
    imported: count,
    known: count,
    replaced: count,
    doubtful: count,
    skipped: count,
    left_out: count,
    accounts_created: count,
    categories_created: count,
    tags_created: count,
    /** Whether it has not happened yet: see {@link importPreviews}. */
    is_preview: local(withDefault(flag, 0)),
  },
  { noun: 'import', key: ['book_id', 'id'] },
);

const ofImport = { book_id: integer, import_id: partOf('imports') };

/** Imports that have not happened yet. Their rows are gone when they are imported, discarded or expired. */
export const importPreviews = serverTable(
  'import_previews',
  {
    ...ofImport,
    status: oneOf('reading', 'ready', 'failed', 'committing'),
    /** 0 for a preview that was discarded, and whose rows are being deleted. */
    expires_at_ms: integer,
    /** Until when somebody works on it, while it is `reading` or `committing`. */
    worker_until_ms: integer,
    /** The length of the file. */
    bytes: integer,
    /** How to read the file, as JSON. */
    options: text,
    entry_count: withDefault(integer, 0),
    /** What is known of the file as a whole, as JSON. */
    report: withDefault(text, '{}'),
    /** What its import needs besides its entries, as JSON. Null before they are stored. */
    compared: nullable(text),
  },
  { key: ['book_id', 'import_id'] },
);

/** The bytes of a file. In the database, because every node must see them, and not every server has a file store. */
export const importPreviewBlocks = serverTable(
  'import_preview_blocks',
  { ...ofImport, place: integer, content: bytes },
  { key: ['book_id', 'import_id', 'place'], sqliteRows: 'row' },
);

/** The entries of a file in blocks, with what was decided about them. Places begin at 0. */
export const importPreviewEntries = serverTable(
  'import_preview_entries',
  {
    ...ofImport,
    place: integer,
    /** A letter for each row, also bad ones, which are in no other column. */
    verdicts: text,
    /** As JSON. */
    entries: text,
    decisions: text,
  },
  { key: ['book_id', 'import_id', 'place'], sqliteRows: 'row' },
);

/** Only nodes of 0.1.0 use it, while a database is upgraded: the rows of a file, as in a response. */
export const importPreviewRows = serverTable(
  'import_preview_rows',
  {
    ...ofImport,
    place: integer,
    verdict: sorted(oneOf('new', 'known', 'replaces', 'doubtful', 'bad')),
    /** Its place among the rows with its verdict. */
    nth: integer,
    /** The number of the entry; null for a bad row. */
    number: nullable(integer),
    known_id: nullable(integer),
    /** As in a response, as JSON. */
    content: text,
  },
  {
    key: ['book_id', 'import_id', 'place'],
    uniqueTogether: [['import_id', 'verdict', 'nth']],
  },
);

/**
 * How a file had a transaction, if otherwise than the import that created it: in another format, or pending. `version`
 * is the change of the import that noted it. The id of the transaction is no reference, so that a form neither hinders
 * its removal nor an undo.
 */
export const importForms = bookTable(
  'import_forms',
  {
    book_id: integer,
    transaction_id: idOf('transactions'),
    version: integer,
    format: nullable(sortedText),
    date: sorted(anyDay),
    /** In ten-thousandths, debit positive. */
    amount: integer,
    payee: text,
    external_id: nullable(sortedText),
    is_pending: flag,
  },
  { noun: 'import form', isInternal: true, key: ['transaction_id', 'version'] },
);

/**
 * What a file or a bank had said of a transaction, before a user changed its date, amount or account, or deleted it. It
 * is no history: neither a prune of the log nor an undo removes it. So it is compared with the transaction as it is.
 */
export const importOrigins = serverTable(
  'import_origins',
  {
    book_id: integer,
    transaction_id: idOf('transactions'),
    manual_account_id: nullable(idOf('manual_accounts')),
    plaid_account_id: nullable(idOf('plaid_accounts')),
    date: sortedText,
    /** In ten-thousandths, debit positive. */
    amount: integer,
    currency: sortedText,
    payee: text,
    external_id: nullable(sortedText),
    /** The id of a bank that is synchronised. */
    remote_id: nullable(sortedText),
    import_id: nullable(idOf('imports')),
    is_pending: flag,
  },
  { key: ['book_id', 'transaction_id'] },
);

/** The accounts of banks that files have named. The hash needs the key `account_numbers` of the database. */
export const accountNumbers = bookTable(
  'account_numbers',
  { id, book_id: integer, manual_account_id: integer, number_hash: sortedText },
  { isInternal: true, uniqueTogether: [['number_hash']] },
);

/** What a user settled for files with a table of this shape. It is not history: an undo does not change it. */
export const importSettings = serverTable(
  'import_settings',
  {
    book_id: integer,
    /** A fingerprint of the columns. */
    shape: sortedText,
    format: text,
    /** JSON. */
    settings: text,
    updated_at: text,
  },
  { key: ['book_id', 'shape'] },
);
