import { faultsOf, type PlantedFault } from './planted-fault.ts';

const store = 'packages/server/src/store';
const records = 'packages/server/src/records';
const cli = 'packages/cli/src';
const statements = 'packages/statements/src';
const money = 'prove/f14-exact-money.test.ts';
const imports = ['sqlite.test.ts', `${cli}/import.test.ts`];

/** Imports, amounts, exports, and what is on the disk. */
export const moneyFaults: readonly PlantedFault[] = [
  ...faultsOf(`${store}/import.ts`, imports, {
    'the same file twice is there twice': [
      'if (yield* this.#isEarlier(entry, place.account)) ',
      'if (entry.line < 0) ',
    ],
    'a file with a wrong row is imported without it': ['    this.#problems.refuse();\n', ''],
    'a currency may be anything': [
      'if (isCurrencyCode(currency)) return;',
      'if (currency.length > 0) return;',
    ],
    'a file may use one id for two rows': [
      'if (firstLine === undefined) return null;',
      'if (externalId.length > 0) return null;',
    ],
    'an id of a bank may be as long as it likes': [
      'externalId.length > maxExternalIdLength',
      'externalId.length > Infinity',
    ],
    'rows of another book make duplicates': [
      'WHERE book_id = ${this.#book.id} AND ${isOrNull',
      'WHERE ${isOrNull',
    ],
    'money out is money in': ['entry.amount === 0 ? 0 : -entry.amount', 'entry.amount'],
    'parts of a split are taken for rows of a file': [
      'AND split_parent_id IS NULL AND is_group_parent = 0 AND id',
      'AND id',
    ],
  }),
  ...faultsOf(`${store}/known-ids.ts`, imports, {
    'an id of another book makes a duplicate': [
      'WHERE book_id = ${this.#bookId} AND ${isOrNull',
      'WHERE ${isOrNull',
    ],
    'an id of another account makes a duplicate': [
      'AND ${isOrNull(sql`manual_account_id`, account?.id ?? null)}\n',
      '\n',
    ],
    'what shares an id of the bank is not found again': ['(external_id = ${plain} OR (', '(('],
    'an id that was given may be given again': ['this.#given.add(', 'void ('],
  }),
  ...faultsOf(`${records}/known-rows.ts`, [`${store}/sqlite.test.ts`], {
    'a transaction with an id that another has is lost': [
      'if (row.date === entry.date) return true;',
      'if (row.date.length > 0) return true;',
    ],
    'what recurs under one id is lost': ['< fewestDaysApart', '>= 0'],
    'what the bank corrects is there twice': [
      'row !== undefined && mayBeCorrected(row, entry) ? row : undefined',
      'row?.id === 0 && mayBeCorrected(row, entry) ? row : undefined',
    ],
    'one row of the book stands for two entries': ['this.#claimed.add(row.id);', 'void row;'],
  }),
  ...faultsOf(
    `${records}/import-matches.ts`,
    ['import-matches.test.ts', `${store}/sqlite.test.ts`],
    {
      'as many entries wait as a file has': [' < mostWaiting ||', ' >= 0 ||'],
      'the first entry that may be a row takes it from the one that is': [
        'if (!mayWait) return',
        'if (mayWait) return',
      ],
    },
  ),
  ...faultsOf(`${records}/import-ids.ts`, ['test/statements-repeats.test.ts'], {
    'a file and a book give one transaction two ids': [
      'JSON.stringify([date, amount, payee, notes])',
      'JSON.stringify([date, amount, payee])',
    ],
    'a long id is cut otherwise than in a file': [
      'const keptOfLongId = 42;',
      'const keptOfLongId = 43;',
    ],
  }),
  ...faultsOf(`${store}/import-names.ts`, imports, {
    'an account of another book takes the rows': [
      'WHERE book_id = ${this.#bookId} ORDER BY id DESC`,\n    );\n    for (const { id, name, display_name',
      'ORDER BY id DESC`,\n    );\n    for (const { id, name, display_name',
    ],
    'a category of another book takes the rows': [
      'FROM categories WHERE book_id = ${this.#bookId} ORDER',
      'FROM categories ORDER',
    ],
    'names in other letters are other names': ['name.trim().toLowerCase()', 'name.trim()'],
    'a name may be as long as it likes': ['length <= maxLength ? null', 'length > 0 ? null'],
    'a transaction may be in a group': ['if (!known.isGroup) return known.id;', 'return known.id;'],
  }),
  ...faultsOf(`${store}/store.ts`, imports, {
    'a dry run is kept': ['{ rollback: plan.dryRun }', '{}'],
  }),
  ...faultsOf('packages/server/src/records/earlier-rows.ts', [`${store}/sqlite.test.ts`], {
    'of two equal rows one is lost': ['else this.#unmatched.set(key, left - 1);', ''],
  }),
  ...faultsOf('packages/server/src/records/import-tally.ts', [`${store}/sqlite.test.ts`, money], {
    'sums are rounded': ['+ BigInt(entry.amount)', '+ BigInt(Math.fround(entry.amount))'],
  }),
  ...faultsOf(`${statements}/amounts.ts`, ['amounts.test.ts', money], {
    'amounts beyond 2^53 are rounded': ['amount > Number.MAX_SAFE_INTEGER ?', 'amount > 2 ** 60 ?'],
    'more than four decimals are cut': [
      "if (fraction.length > 4 && /[1-9]/.test(fraction.slice(4))) return 'More than 4 decimals';",
      '',
    ],
    'an amount may be a float': [
      "Number(simple[2]) * SCALE + fractionOf(simple[3] ?? '')",
      "Math.fround(Number(simple[2]) * SCALE) + fractionOf(simple[3] ?? '')",
    ],
    'two signs are one': ['signs.length > 1 ? null', 'signs.length > 9 ? null'],
    'hostile text is read at any length': [
      'if (text.length > LONGEST_AMOUNT) return NOT_AN_AMOUNT;',
      '',
    ],
  }),
  ...faultsOf(`${store}/row-json.ts`, [money, 'test/spec/transaction-object.test.ts'], {
    'amounts are printed from a float': [
      "`iif(${column} < 0, '-', '')`,\n    `abs(${column}) / 10000`,\n    `'.'`,\n    `substr(abs(${column}) % 10000 + 10000, 2)`,",
      "`printf('%.4f', ${column} / 10000.0)`,",
    ],
    'a fraction loses its zeros': [
      'substr(abs(${column}) % 10000 + 10000, 2)',
      'abs(${column}) % 10000',
    ],
  }),
  ...faultsOf(`${cli}/csv-rows.ts`, ['csv-rows.test.ts', 'prove/f25-formulas.test.ts'], {
    'a text is a formula to a spreadsheet': [
      "if (formula.test(text)) return quoted(`'${text}`);",
      '',
    ],
    'a blank before a formula hides it': ['[\\s\\p{Cf}]*[=', '[='],
    'a formula in full width is let through': ['@＝＋－＠]', '@]'],
    'an apostrophe of the text itself is lost': [
      'return quoted(` ${text}`)',
      'return quoted(text)',
    ],
    'pending money is exported': ["!wire['is_pending'] && ", ''],
    'a split stands there twice': ["!wire['is_split_parent'] && ", ''],
    'a group stands there twice': [" && !wire['is_group_parent']", ''],
    'money out is positive in the CSV': ['decimal(-amount)', 'decimal(amount)'],
    'a quote ends its cell': [".replaceAll('\"', '\"\"')", ''],
  }),
  ...faultsOf(`${statements}/csv/cells.ts`, ['examine.test.ts', 'prove/f25-formulas.test.ts'], {
    'the apostrophe that guards stays in the book': [
      '? cell.slice(1) : cell.trim()',
      '? cell : cell.trim()',
    ],
  }),
  ...faultsOf(
    `${store}/export.ts`,
    ['prove/f11-foreign-records.test.ts', 'sqlite.test.ts', `${cli}/export.test.ts`],
    {
      'an export has transactions of other books': [
        'WHERE t.book_id = ${bookId} AND t.id >',
        'WHERE t.id >',
      ],
      'an export has accounts of other books': [
        'FROM manual_accounts WHERE book_id = ${bookId} ORDER',
        'FROM manual_accounts ORDER',
      ],
      'an export has synced accounts of other books': [
        'FROM plaid_accounts WHERE book_id = ${bookId} ORDER',
        'FROM plaid_accounts ORDER',
      ],
      'an export has tags of other books': [
        'FROM tags WHERE book_id = ${bookId} ORDER',
        'FROM tags ORDER',
      ],
      'an export ends with its first thousand': [
        'if (batch.length < batchSize) return;',
        'if (batch.length <= batchSize) return;',
      ],
    },
  ),
  ...faultsOf(`${cli}/whole-file.ts`, ['whole-file.test.ts', 'export.test.ts'], {
    'everybody may read an export': ['const ownerOnly = 0o600', 'const ownerOnly = 0o644'],
    'half an export stays when it fails': ['await rm(temporary, { force: true });', ''],
  }),
  ...faultsOf(
    `${store}/sqlite-connection.ts`,
    ['sqlite-file.test.ts', 'sqlite.test.ts', 'sqlite-faults.test.ts'],
    {
      'a power cut loses what was acknowledged': [
        "database.pragma('synchronous = FULL');",
        "database.pragma('synchronous = NORMAL');",
      ],
      'an old SQLite is taken': ['if (part < least) {', 'if (part < 0) {'],
      'everybody may read the database': [
        "openSync(path, 'a', 0o600)",
        "openSync(path, 'a', 0o644)",
      ],
      'records may point to nothing': [
        "database.pragma('foreign_keys = ON');",
        "database.pragma('foreign_keys = OFF');",
      ],
      'what failed half way is kept': [
        "this.database.exec('ROLLBACK')",
        "this.database.exec('COMMIT')",
      ],
      'the schema of a file can call what it likes': [
        "database.pragma('trusted_schema = OFF');",
        '',
      ],
      'the log grows without bound': ["database.pragma('journal_size_limit = 67108864');", ''],
    },
  ),
  ...faultsOf(
    `${statements}/csv/rows.ts`,
    ['rows.test.ts', '../hostile.test.ts'].map((test) => test.replace('../', `${statements}/`)),
    {
      'NUL is read': ['if (nul === this.#text.length) return;', 'if (nul >= 0) return;'],
    },
  ),
];
