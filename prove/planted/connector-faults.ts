import { faultsOf, type PlantedFault } from './planted-fault.ts';

const room = 'packages/server/src/connectors';
const contract = ['kraken.test.ts'];

/** What reads from the providers of crypto: secrets, bounds, exact numbers, and what failures mean. */
export const connectorFaults: readonly PlantedFault[] = [
  ...faultsOf(`${room}/sealed-credentials.ts`, ['sealed-credentials.test.ts'], {
    'sealed credentials open for another book': [
      '`book ${bookId} ${provider}`',
      '`book ${provider}`',
    ],
    'sealed credentials open for another provider': [
      '`book ${bookId} ${provider}`',
      '`book ${bookId}`',
    ],
    'another key is taken for damage': [
      "if (!head.subarray(versionBytes).equals(keyId(key))) throw new SealedCredentialsError('otherKey');",
      '',
    ],
    'a nonce is used twice': [
      'const nonce = randomBytes(nonceBytes);',
      'const nonce = Buffer.alloc(nonceBytes);',
    ],
    'the id of a key is its beginning': [
      "createHmac('sha256', key).update('coffer key id').digest()",
      'Buffer.from(key)',
    ],
    'what is cut off is read': ['bytes.length < headBytes + nonceBytes + tagBytes || ', ''],
    'a later version is read like this one': [' || bytes[0] !== version', ''],
    'a key of any Base64 is a key': [
      'key.length === keyBytes && isWhole',
      'key.length === keyBytes',
    ],
    'a key that is none is said again': [
      "'An encryption key is 32 bytes, written as 64 hexadecimal digits or as Base64'",
      '`An encryption key is 32 bytes, written as 64 hexadecimal digits or as Base64, not ${text}`',
    ],
  }),
  ...faultsOf(`${room}/refresh.ts`, ['refresh.test.ts', 'refresh-faults.test.ts'], {
    'refreshes at the same time ask as often': ['if (underWay !== undefined) return underWay;', ''],
    'a refresh is shared for ever': ['.finally(() => flights.delete(key))', ''],
    'books share a refresh': ['`${book.id}/${id}`', '`${id}`'],
    'an account that was removed meanwhile is a failure': [
      'if (await this.#noteFailure(book.id, id, error)) throw error;\n      return null;',
      'await this.#noteFailure(book.id, id, error);\n      throw error;',
    ],
    'nonces are forgotten between refreshes': [
      'this.#providers ??= this',
      'this.#providers = this',
    ],
    'worths are in dollars whatever the book': [
      'this.#price(holdings, book.primaryCurrency)',
      "this.#price(holdings, 'usd')",
    ],
  }),
  ...faultsOf(`${room}/refresh.ts`, ['refresh-faults.test.ts'], {
    'a failure takes the balances away': [
      'if (await this.#noteFailure(book.id, id, error)) throw error;',
      'await this.#store.saveCryptoReading(book.id, id, { readAtIso: this.#nowIso(), balances: [] });\n      throw error;',
    ],
    'a key that is refused needs no new link': ["  refused: 'relink',\n", ''],
    'nonsense of a provider is not noted': ["  nonsense: 'unsupported',\n", ''],
    'a failure in passing cuts the link': [
      "  refused: 'relink',\n",
      "  refused: 'relink',\n  unreachable: 'relink',\n",
    ],
    'a provider has all the time it likes': [
      'const defaultTimeoutMs = 5000;',
      'const defaultTimeoutMs = 5e8;',
    ],
    'the price source has all the time it likes': [
      'signal: AbortSignal.timeout(this.#timeoutMs),',
      'signal: new AbortController().signal,',
    ],
    'no price is no refresh': [
      'if (!(error instanceof CryptoRefreshError)) throw error;',
      'throw error;',
    ],
    'a status that cannot be written hides the provider’s failure': [
      "this.#log?.warn({ err, cryptoId: id }, 'The status of a crypto account could not be noted');",
      'throw err;',
    ],
    'without a key the provider is asked all the same': [
      'if (encryptionKey === null) {',
      'if (encryptionKey === undefined) {',
    ],
  }),
  ...faultsOf(`${room}/bounded-fetch.ts`, ['bounded-fetch.test.ts'], {
    'a body has no bound': ['if (size > maxAnswerBytes) throw', 'if (size > Infinity) throw'],
    'a body of 1 MiB is too much': [
      'if (size > maxAnswerBytes) throw',
      'if (size >= maxAnswerBytes) throw',
    ],
    'connections are kept for the next request': ['agent: false', 'agent: undefined'],
    'an address that is none is said again': [
      '`${who} has no http or https address`',
      '`${who} has no http or https address: ${base}`',
    ],
    'the length of a body counts letters': ['Buffer.byteLength(body)', 'body.length'],
  }),
  ...faultsOf(`${room}/bounded-fetch.ts`, contract, {
    'redirects are followed': [
      'const response = await sendRequest(request);',
      'let response = await sendRequest(request);\n  const to = response.headers.location;\n' +
        '  if (to !== undefined) response = await sendRequest({ ...request, url: new URL(to) });',
    ],
    'the body of a redirect is read': [
      'if (statusCode === 200) return null;',
      'if (statusCode < 400) return null;',
    ],
    'a key that may not is no refusal': [
      'statusCode === 401 || statusCode === 403',
      'statusCode === 401',
    ],
    'a provider may ask for a year of rest': [
      'seconds <= maxRetryAfterSeconds ? seconds : null',
      'seconds',
    ],
    'how long a provider wants rest is not told': [
      '`${who} asks to wait`, seconds)',
      '`${who} asks to wait`)',
    ],
    'a provider that is down is nonsense': ['if (statusCode >= 500)', 'if (statusCode >= 900)'],
    'bytes that are not UTF-8 are read': ['{ fatal: true }', '{ fatal: false }'],
    'a failure names the address': ['` (${code})`', '` (${error.message})`'],
    'time that is over is a provider that is away': [
      "if (signal.aborted) return failure('timeout', `${who} did not answer in full in time`);",
      '',
    ],
  }),
  ...faultsOf(`${room}/json.ts`, contract, {
    'what is no JSON is said again': [
      "} catch {\n    // What is wrong with it would quote it. Too deep a nesting ends here too.\n    throw nonsense(who, 'not JSON');",
      '} catch (error) {\n    throw nonsense(who, `not JSON: ${String(error)}`);',
    ],
    'a list is taken for an object': [' && !Array.isArray(value)', ''],
  }),
  ...faultsOf(`${room}/json.ts`, ['prices.test.ts'], {
    'a price is read as a double': [
      'new NumberLiteral(source)',
      'new NumberLiteral(String(value))',
    ],
  }),
  ...faultsOf(`${room}/kraken.ts`, contract, {
    'a nonce does not go up': ['last = clock > last ? clock : last + 1n;', 'last = clock;'],
    'requests with one key overtake each other': [
      'lanes.run(apiKey,',
      'lanes.run(String(Math.random()),',
    ],
    'a key waits for the others': ['lanes.run(apiKey,', "lanes.run('kraken',"],
    'an error of Kraken is said again': [
      "nonsense(who, 'an error that it does not document')",
      'nonsense(who, error)',
    ],
    'a warning of Kraken is an error': ["error.filter((each) => !each.startsWith('W'))", 'error'],
    'an amount may be a double': [
      "typeof amount === 'string' ? parseQuantity(amount) : null",
      'parseQuantity(String(amount))',
    ],
    'a lockout is a key that is refused': ['|EAuth:(Rate|Too many))/i', ')/i'],
  }),
  ...faultsOf(`${room}/lanes.ts`, ['lanes.test.ts'], {
    'a failure holds up the next': ['turn.catch(() => undefined)', 'turn'],
    'lanes are never forgotten': ['if (tails.get(key) === tail) tails.delete(key);', ''],
  }),
  ...faultsOf(`${room}/coinbase.ts`, ['coinbase.test.ts'], {
    'there may be pages without end': ['if (page === maxPages)', 'if (page === Infinity)'],
    'a cursor may be as long as it likes': [' && next.length <= maxCursorLength', ''],
    'a page may be followed by itself': [' || next === cursor', ''],
    'a token is good for twenty minutes': [
      'const tokenSeconds = 120;',
      'const tokenSeconds = 1200;',
    ],
    'a token is made of the same nonce': ['randomBytes(nonceBytes)', 'Buffer.alloc(nonceBytes)'],
    'an amount may be in another currency': [" || money['currency'] !== currency", ''],
    'money counts as crypto': [
      "type === 'ACCOUNT_TYPE_FIAT' || isFiat(currency)",
      "currency === ''",
    ],
    'what is on hold is left out': [
      'if (hold !== undefined && hold !== null) holdings',
      'if (hold === 7) holdings',
    ],
    'a key that cannot sign is used': ['if (key === null) {', 'if (key === undefined) {'],
  }),
  ...faultsOf(`${room}/ethereum.ts`, ['ethereum.test.ts'], {
    'the answer to another request is taken': ['if (id !== requestId)', 'if (id === null)'],
    'a balance goes through a double': ['BigInt(result)', 'BigInt(Number(result))'],
    'a node in trouble is nonsense': ['if (troubleCodes.includes(code))', 'if (code === 0)'],
  }),
  ...faultsOf(`${room}/quantity.ts`, ['quantity.test.ts'], {
    'a quantity has seventeen places': [
      'export const quantityPlaces = 18;',
      'export const quantityPlaces = 17;',
    ],
    'places are counted from the wrong end': ['fraction.padEnd(', 'fraction.padStart('],
    'a quantity below one loses its zeros': [
      'padStart(quantityPlaces + 1',
      'padStart(quantityPlaces',
    ],
    'a quantity has no upper bound': ['value >= 0n && value < tooMany', 'value >= 0n'],
  }),
  ...faultsOf(`${room}/holdings.ts`, ['quantity.test.ts'], {
    'the last amount of an asset is all of it': [
      '(this.#sums.get(key) ?? 0n) + quantity',
      'quantity',
    ],
    'a symbol may have any form': ['if (!symbolPattern.test(key))', "if (key === ' ')"],
    'what is zero is held': ['if (quantity === 0n) return;', ''],
  }),
  ...faultsOf(`${room}/holdings.ts`, contract, {
    'there may be assets without end': [
      'this.#sums.size > maxHoldings',
      'this.#sums.size > Infinity',
    ],
  }),
  ...faultsOf(`${room}/price.ts`, ['price.test.ts'], {
    'a worth is a product of doubles': [
      'const worth = power >= 0 ? product * 10n ** BigInt(power) : divideHalfEven(product, -power);',
      'const worth = BigInt(Math.round(Number(product) * 10 ** power));',
    ],
    'a worth is rounded half up': [
      '(twiceRest === divisor && quotient % 2n === 1n)',
      'twiceRest === divisor',
    ],
    'a worth is cut off': [
      'return isUp ? quotient + 1n : quotient;',
      'return isUp ? quotient : quotient;',
    ],
    'a worth may be beyond what a double holds': [
      'worth <= BigInt(Number.MAX_SAFE_INTEGER)',
      'worth >= 0n',
    ],
    'a price may have any exponent': ['if (Math.abs(exponent) > maxExponent) return null;', ''],
  }),
  ...faultsOf(`${room}/prices.ts`, ['prices.test.ts'], {
    'a price may be of next year': [
      'if (seconds > nowMs / 1000 + maxAheadSeconds) return null;',
      'if (seconds === Infinity) return null;',
    ],
    'a price needs no time': [
      '!(amount instanceof NumberLiteral) || !(updatedAt instanceof NumberLiteral)',
      '!(amount instanceof NumberLiteral)',
    ],
    'nothing is asked for': ['if (ids.length === 0) return prices;', ''],
  }),
  ...faultsOf(`${room}/credentials.ts`, ['credentials.test.ts'], {
    'a typing error in an address is let pass': [
      'if (!hasWrongChecksum(address)) return null;',
      'return null;',
    ],
    'a key that is cut off is let pass': [
      "base64.test(privateKey) && Buffer.from(privateKey, 'base64').length === krakenSecretBytes",
      'base64.test(privateKey)',
    ],
    'a key that is none is said again in a problem': [
      "'The API key of Kraken is 16 to 128 characters of Base64, without spaces'",
      '`The API key of Kraken is 16 to 128 characters of Base64, without spaces, not ${apiKey}`',
    ],
  }),
  ...faultsOf(`${room}/coinbase-key.ts`, ['credentials.test.ts'], {
    'a key of another curve is taken': ["curve === 'prime256v1' ?", "curve !== '' ?"],
    'two halves of a key need not fit': [
      'if (bytes.length === pairBytes && !publicKeyOf(key).equals(bytes.subarray(seedBytes)))\n    return null;',
      '',
    ],
  }),
  ...faultsOf(`${room}/kraken-assets.ts`, ['kraken-assets.test.ts'], {
    'staked assets are others': ['sameAsset.exec(code)?.[1] ?? ', ''],
    'any extension means the same asset': ['/^(.+)\\.(?:S|M|F|B|P|HOLD)$/', '/^(.+)\\.[A-Z]+$/'],
  }),
];
