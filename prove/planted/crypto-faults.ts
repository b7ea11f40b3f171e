import { faultsOf, type PlantedFault } from './planted-fault.ts';

const store = 'packages/server/src/store';
const http = 'packages/server/src/http';
const cli = 'packages/cli/src';
const foreign = ['prove/f11-foreign-records.test.ts'];

/** Synced crypto beside its providers: how it is stored, answered, added and exported. */
export const cryptoFaults: readonly PlantedFault[] = [
  ...faultsOf(`${store}/crypto.ts`, foreign, {
    'synced accounts of other books are listed': [
      'FROM crypto_synced_accounts WHERE book_id = ${bookId} ORDER',
      'FROM crypto_synced_accounts ORDER',
    ],
    'a synced account of another book is refreshed': [
      'AS sealed\n    FROM crypto_synced_accounts WHERE book_id = ${bookId} AND id',
      'AS sealed\n    FROM crypto_synced_accounts WHERE id',
    ],
  }),
  ...faultsOf(`${store}/crypto.ts`, ['sqlite.test.ts'], {
    'the connection of another book is found': [
      'AS sealed\n    FROM crypto_synced_accounts WHERE book_id = ${bookId} AND id',
      'AS sealed\n    FROM crypto_synced_accounts WHERE id',
    ],
    'a reading is saved in the account of another book': [
      'WHERE book_id = ${bookId} AND id = ${id} RETURNING id`);\n  if (saved',
      'WHERE id = ${id} RETURNING id`);\n  if (saved',
    ],
    'a status is noted for another book': [
      'WHERE book_id = ${bookId} AND id = ${id} AND status',
      'WHERE id = ${id} AND status',
    ],
    'an account of another book is removed': [
      'DELETE FROM crypto_synced_accounts WHERE book_id = ${bookId} AND id',
      'DELETE FROM crypto_synced_accounts WHERE id',
    ],
    'a reading takes the balances of the other accounts away': [
      'WHERE book_id = ${bookId} AND account_id = ${id}`,',
      'WHERE book_id = ${bookId}`,',
    ],
    'balances stay that the provider does not have any more': [
      'DELETE FROM crypto_synced_balances WHERE',
      'DELETE FROM crypto_synced_balances WHERE false AND',
    ],
    'a reading of an account that was removed meanwhile is a fault': [
      'if (saved === undefined) return null;',
      '',
    ],
    'a connection that works again is not active': [
      "SET status = 'active', updated",
      'SET updated',
    ],
    'a status that is noted twice is a change': [
      'AND id = ${id} AND status <> ${status} RETURNING',
      'AND id = ${id} RETURNING',
    ],
    'a status is noted of what is not there': [
      'return (yield* findCryptoConnection(bookId, id)) !== null;',
      'return true;',
    ],
    'a new account leaves the version of the book': [
      '${owner.name}, ${nowIso}, ${nowIso}) RETURNING id`);\n  yield* raiseVersion(bookId);',
      '${owner.name}, ${nowIso}, ${nowIso}) RETURNING id`);',
    ],
    'a reading leaves the version of the book': [
      'balanceColumns, values);\n  yield* raiseVersion(bookId);',
      'balanceColumns, values);',
    ],
    'a status leaves the version of the book': [
      'yield* raiseVersion(bookId);\n  return true;\n}\n\n/** Deletes',
      'return true;\n}\n\n/** Deletes',
    ],
    'a removal leaves the version of the book': [
      'if (removed === undefined) return false;\n  yield* raiseVersion(bookId);',
      'if (removed === undefined) return false;',
    ],
    'every book gets a new version': [
      'SET version = version + 1 WHERE id = ${bookId}',
      'SET version = version + 1',
    ],
    'the list of accounts has their sealed credentials': [
      'SELECT id, provider, status, display_name AS "displayName",',
      'SELECT id, provider, status, sealed_credentials AS "sealed", display_name AS "displayName",',
    ],
  }),
  ...faultsOf(`${store}/migrations/002-crypto.ts`, [`${store}/sqlite.test.ts`], {
    'a quantity may have other than eighteen places': [
      "AND substr(quantity, -19, 1) = '.'",
      'AND 1',
    ],
    'a quantity may hide something behind a NUL': [
      'octet_length(quantity) = length(quantity)\n    AND',
      '',
    ],
    'a quantity may have zeros in front': [
      "AND (quantity GLOB '[1-9]*' OR quantity GLOB '0.*')",
      '',
    ],
    'a worth may be without the time of its price': [
      'CHECK ((to_base IS NULL) = (price_as_of IS NULL))',
      'CHECK (read_at IS NOT NULL)',
    ],
  }),
  ...faultsOf(`${http}/errors.ts`, [`${http}/v2/crypto.test.ts`], {
    'a provider that takes too long is a bad gateway': [
      "reason === 'timeout' ? 'gatewayTimeout' : 'badGateway'",
      "'badGateway'",
    ],
    'a provider that fails is a gateway that takes too long': [
      "reason === 'timeout' ? 'gatewayTimeout' : 'badGateway'",
      "'gatewayTimeout'",
    ],
    'a provider that fails is a fault of ours': [
      'if (isRefreshError(error)) return refreshProblem(error);',
      '',
    ],
    'a provider that fails wakes the operator': [
      "if (isRefreshError(error)) request.log.warn(refreshDetails(error), 'refresh failed');\n  else if",
      'if',
    ],
    'whoever asked is not told how long the provider wants rest': [
      "retryAfterSeconds === null ? {} : { 'retry-after': seconds }",
      '{}',
    ],
    'Retry-After of a provider is no time at all': [
      'Math.max(1, retryAfterSeconds ?? 0)',
      'Math.max(0, retryAfterSeconds ?? 0)',
    ],
    'why a refresh failed is not told': ['details: [{ errMsg: message, reason }]', ''],
  }),
  ...faultsOf(`${http}/api.ts`, [`${http}/v2/crypto.test.ts`], {
    'the answer to a POST is kept by an ETag': [
      "if (route.method === 'GET') await respond",
      "if (route.path !== '') await respond",
    ],
    'a body of a refresh is passed over': [
      "route.method === 'GET' ? undefined : request.body",
      'undefined',
    ],
  }),
  ...faultsOf(`${http}/no-body.ts`, [`${http}/v2/crypto.test.ts`], {
    'an empty body is refused': ['if (body === undefined) return [];', ''],
    'a body of an unknown kind is passed over': ['return [wrongType(body)];', 'return [];'],
  }),
  ...faultsOf(`${http}/body.ts`, [`${http}/v2/crypto.test.ts`], {
    'an empty body needs a type that is known': [
      "delete raw.headers['content-type'];",
      'void raw;',
    ],
    'an empty body in chunks is no JSON': ['if (bytes.length === 0) return undefined;', ''],
  }),
  ...faultsOf(`${http}/v2/crypto.ts`, ['crypto.test.ts'], {
    'a worth is a double': [
      "const worth = balance.toBase === null ? 'null' : decimal(balance.toBase);",
      'const worth = (balance.toBase ?? 0) / 10_000;',
    ],
    'a symbol is found in one letter case': ['symbol.toLowerCase()', 'symbol'],
    'an account that is gone is a fault of ours': [
      'accountJson(account ?? refuseAccount(id))',
      'accountJson(account!)',
    ],
    'another account is refreshed': [
      'refresher.refresh(identity.book, id)',
      'refresher.refresh(identity.book, id + 1)',
    ],
  }),
  ...faultsOf('packages/server/src/config.ts', ['config.test.ts', `${cli}/reference.test.ts`], {
    'the encryption key is read from a flag': [
      'flag === null ? undefined : flags[name as FlagName]',
      'flags[name as FlagName]',
    ],
    'an encryption key that is none is said again': [
      '`${place}: ${(error as Error).message}`',
      "`${place}: ${(error as Error).message} (${environment[variable] ?? ''})`",
    ],
  }),
  ...faultsOf('packages/server/src/config.ts', [`${cli}/reference.test.ts`], {
    'the encryption key has a flag': ['flag: null,', "flag: '--encryption-key',"],
  }),
  ...faultsOf(`${cli}/crypto.ts`, ['reference.test.ts', 'crypto.test.ts'], {
    'a secret is an option': [
      ".option('--name <text>', 'what the account is called')",
      ".option('--name <text>', 'what the account is called')\n    .option('--private-key <key>', 'its secret')",
    ],
    'a secret is an argument': [
      ".option('--name <text>', 'what the account is called')",
      ".option('--name <text>', 'what the account is called')\n    .argument('[key...]', 'the key and its secret')",
    ],
  }),
  ...faultsOf(`${cli}/crypto-add.ts`, ['crypto.test.ts'], {
    'credentials are stored as they are': [
      'await sealCredentials(key, book.id, credentials)',
      'Buffer.from(JSON.stringify(credentials))',
    ],
    'an encryption key that is none is said again by the command': [
      '`${variable}: ${(error as Error).message}`',
      '`${variable}: ${(error as Error).message} (${environment[variable]})`',
    ],
    'the name of an account may have several lines': [' || /\\p{Cc}/u.test(name)', ''],
  }),
  ...faultsOf(`${cli}/crypto-credentials.ts`, ['crypto.test.ts'], {
    'a key file that is no JSON is said again': [
      "} catch {\n    // What the parser says quotes the text.\n    throw new Misuse('The key file of Coinbase begins like JSON, and is not');",
      '} catch (error) {\n    throw new Misuse(`The key file of Coinbase begins like JSON, and is not: ${String(error)}`);',
    ],
    'a key may be as long as a film': ['text.length > maxKeyCharacters', 'text.length > Infinity'],
    'one line is a key without a secret': [
      'if (rest.length > 0) return',
      'if (rest.length >= 0) return',
    ],
    'credentials are not looked at': [
      'if (problems.length === 0) return',
      'if (problems.length >= 0) return',
    ],
    'standard input is read beside a key file': [
      'if (keyFile !== undefined) return readText(',
      "if (keyFile === '') return readText(",
    ],
  }),
  ...faultsOf(`${cli}/crypto-record.ts`, ['crypto.test.ts', 'export.test.ts'], {
    'an exported worth is a double': ['decimal(balance.toBase)', 'balance.toBase / 10_000'],
    'an exported account has whatever the store gives': ['    id: account.id,', '    ...account,'],
  }),
  ...faultsOf(`${cli}/ndjson-lines.ts`, ['crypto.test.ts'], {
    'an export has no synced accounts': [
      'of book.cryptoAccounts)',
      'of book.cryptoAccounts.slice(0, 0))',
    ],
  }),
];
