import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { openDatabase } from '@coffer/server/src/database.ts';
import type { CryptoProvider } from '@coffer/server/src/sync/crypto/rules.ts';
import { storeCryptoReading } from '../../../../server/src/sync/crypto/testing/store-reading.ts';
import {
  coffer,
  jsonLines,
  makeBook,
  makeFolder,
  refuses,
  runCoffer,
} from '../../testing/run-coffer.ts';
import type { Outcome } from '../../testing/run-coffer.ts';
import { readCredentials } from './crypto.ts';

const folder = makeFolder();
const whose = await makeBook(folder);

const keyText = 'a5'.repeat(32);
const environment = { ENCRYPTION_KEY: keyText };
const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const apiKey = Buffer.alloc(42, 7).toString('base64');
const privateKey = Buffer.alloc(64, 9).toString('base64');
const keyName =
  'organizations/4b0bd1f3-6c1e-4a0f-9d8e-0f6d2f5a7c11/apiKeys/4b0bd1f3-6c1e-4a0f-9d8e-0f6d2f5a7c12';
const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ format: 'pem', type: 'sec1' })
  .toString();

const add = (provider: string, args: readonly string[], input = '', env = {}): Promise<Outcome> =>
  runCoffer(['crypto', 'add', '--provider', provider, ...args, ...whose], {
    stdin: Readable.from([Buffer.from(input)]),
    environment: { ...environment, ...env },
  });

/** Returns the credentials that the command reads from its input. */
const read = (provider: CryptoProvider, input: string, keyFile?: string): Promise<unknown> => {
  const context = { stdin: Readable.from([Buffer.from(input)]), stderr: new PassThrough() };
  const options = keyFile === undefined ? { provider } : { provider, keyFile };
  return readCredentials(options, context);
};

test('a wallet is added by its address', async () => {
  const outcome = await add('ethereum', ['--address', address, '--name', ' My wallet ']);
  assert.deepEqual(outcome, {
    code: 0,
    stdout:
      'Added the ethereum account 1 to the book "My book". Read its balances with POST /v2/crypto/synced/1/refresh\n',
    stderr: '',
  });
  assert.match(
    await coffer('crypto', 'list', ...whose),
    /\n 1 {2}ethereum +My wallet +initializing +- +0\n$/,
  );
});

test('a key of Kraken is read from standard input, as two lines', async () => {
  for (const input of [
    `${apiKey}\n${privateKey}\n`,
    `\ufeff ${apiKey} \r\n ${privateKey} \r\n\r\n`,
  ]) {
    assert.deepEqual(await read('kraken', input), { provider: 'kraken', apiKey, privateKey });
    assert.equal((await add('kraken', [], input)).code, 0);
  }
});

test('a key of Coinbase is read as two lines, as lines of PEM, or as the file of Coinbase', async () => {
  const escaped = pem.trim().replaceAll('\n', '\\n');
  const json = JSON.stringify({ name: keyName, privateKey: pem, more: 1 });
  for (const [input, expected] of [
    [`${keyName}\n${pem}`, pem.trim()],
    [`${keyName}\n${escaped}\n`, escaped],
    [` ${json}\n`, pem],
  ] as const) {
    const credentials = { provider: 'coinbase', keyName, privateKey: expected };
    assert.deepEqual(await read('coinbase', input), credentials);
    assert.equal((await add('coinbase', [], input)).code, 0);
  }
});

test('a key is read from a file, and then standard input is not read', async () => {
  const file = join(folder, 'key.json');
  writeFileSync(file, JSON.stringify({ name: keyName, privateKey: pem }));
  const credentials = { provider: 'coinbase', keyName, privateKey: pem };
  assert.deepEqual(await read('coinbase', 'nonsense', file), credentials);
  assert.equal((await add('coinbase', ['--key-file', file], 'nonsense')).code, 0);
  const missing = await add('kraken', ['--key-file', join(folder, 'none')]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /^Cannot use ".*none": ENOENT/);
});

test('a prompt on stderr explains how to type a key', async () => {
  const stderr = new PassThrough({ encoding: 'utf8' });
  const stdin = Object.assign(Readable.from([`${apiKey}\n${privateKey}`]), { isTTY: true });
  await readCredentials({ provider: 'kraken' }, { stdin, stderr });
  assert.match(String(stderr.read()), /^Enter the key and its secret, one per line, .*Ctrl-D:\n$/);
});

test('the result can be a line of JSON', async () => {
  const { stdout } = await add('kraken', ['--json', '--name', 'K'], `${apiKey}\n${privateKey}`);
  const [{ id, ...rest } = {}] = jsonLines(stdout);
  assert.ok(Number(id) > 1);
  assert.deepEqual(rest, { provider: 'kraken', display_name: 'K', book_id: 1 });
});

test('without an encryption key nothing is added, and the message says how to create one', async () => {
  const before = await coffer('crypto', 'list', ...whose);
  for (const value of [undefined, '']) {
    const outcome = await add('ethereum', ['--address', address], '', { ENCRYPTION_KEY: value });
    assert.equal(outcome.code, 2);
    assert.match(outcome.stderr, /^ENCRYPTION_KEY is not set.*"openssl rand -hex 32"/);
  }
  const short = await add('ethereum', ['--address', address], '', { ENCRYPTION_KEY: 'c0ffee5ec' });
  assert.equal(short.code, 2);
  assert.match(short.stderr, /^ENCRYPTION_KEY: An encryption key is 32 bytes/);
  assert.doesNotMatch(short.stderr, /c0ffee5ec/);
  assert.equal(await coffer('crypto', 'list', ...whose), before);
});

const secret = 'S3CRETcanary';
const wrong: readonly (readonly [args: string[], input: string, stderr: RegExp])[] = [
  [['mtgox'], '', /argument 'mtgox' is invalid/],
  [['ethereum'], '', /^--address: the address of the wallet is missing/],
  [['ethereum', '--key-file', 'x'], '', /^--key-file: /],
  [['ethereum', '--address', '0x12'], '', /^--address: .*"0x12"/],
  [['ethereum', '--address', address.replace('5aA', '5aa')], '', /^--address: .*checksum/],
  [['ethereum', '--name', 'a\nb', '--address', address], '', /^--name: /],
  [['kraken', '--address', address], '', /^--address is for/],
  [['kraken'], '', /^Two lines are required/],
  [['kraken'], secret, /^Two lines are required/],
  [['kraken'], `${secret}!\n${secret}`, /^The API key .*\nThe private key .*\n$/],
  [['kraken', secret], `${apiKey}\n${privateKey}`, /^Too many arguments/],
  [['coinbase'], `{"name":"${secret}`, /is not valid JSON/],
  // The parser would quote it.
  [['coinbase'], `{"":${secret}}`, /is not valid JSON/],
  [['coinbase'], `{"name":"${secret}"}`, /must have the strings/],
  [['coinbase'], secret.repeat(10_000), /too long to be a key/],
];
for (const [[provider = '', ...args], input, stderr] of wrong) {
  const what = [provider, ...args].join(' ').replace('\n', ' ');
  test(`"${what}" with ${stderr} is refused, and the message has no secret`, async () => {
    const before = await coffer('crypto', 'list', ...whose);
    const outcome = await add(provider, args, input);
    assert.notEqual(outcome.code, 0);
    assert.equal(outcome.stdout, '');
    assert.match(outcome.stderr, stderr);
    assert.ok(!outcome.stderr.includes(secret) && !/^\s+at /m.test(outcome.stderr));
    assert.equal(await coffer('crypto', 'list', ...whose), before);
  });
}

test('accounts are listed as of their last refresh, and removed by id', async () => {
  const mine = await makeBook(folder, 'list.db');
  const own = { environment };
  const added = ['crypto', 'add', '--provider', 'ethereum', '--address', address, ...mine];
  assert.equal(
    (await runCoffer(['crypto', 'list', ...mine])).stderr,
    'There are no synced crypto accounts\n',
  );
  await runCoffer([...added, '--name', 'Cold "store"'], own);
  await runCoffer(added, own);
  const reading = {
    readAtIso: '2026-11-20T13:00:00.000Z',
    balances: [
      {
        symbol: 'eth',
        name: 'ETH',
        quantity: '1.000000000000000001',
        coingecko_id: 'ethereum',
        to_base: 20_000_001,
        price_as_of: '2026-11-20T12:59:00.000Z',
      },
    ],
  };
  const config = { engine: 'sqlite', path: join(folder, 'list.db') } as const;
  const now = () => Date.parse(reading.readAtIso);
  const database = await openDatabase(config, { now });
  await storeCryptoReading(database, 1, 1, reading);
  await database.close();
  assert.equal(
    await coffer('crypto', 'list', ...mine),
    'ID  PROVIDER  DISPLAY NAME  STATUS        LAST IMPORT        BALANCES\n' +
      ' 1  ethereum  Cold "store"  active        2026-11-20T13:00Z         1\n' +
      ' 2  ethereum  -             initializing  -                         0\n',
  );
  const [line = ''] = (await coffer('crypto', 'list', '--json', ...mine)).split('\n');
  const [balance] = reading.balances as [(typeof reading.balances)[number]];
  assert.partialDeepStrictEqual(JSON.parse(line), {
    id: 1,
    display_name: 'Cold "store"',
    last_import: reading.readAtIso,
    balances: [{ balance: balance.quantity, to_base: '2000.0001' }],
  });
  const exported = await coffer('export', '--format', 'ndjson', ...mine);
  assert.ok(exported.includes(`{"type":"crypto_synced_account",${line.slice(1)}\n`));
  const remove = (id: string): string[] => ['crypto', 'remove', id, ...mine];
  const { stderr } = await runCoffer(remove('1'));
  assert.equal(stderr, 'Removed the synced crypto account 1\n');
  await refuses(remove('1'), 1, 'The book "My book" has no synced crypto account 1\n');
  assert.match(await coffer('crypto', 'list', ...mine), /\n 2 {2}[^\n]*\n$/);
  for (const id of ['x', '0', '01', '1.5']) await refuses(remove(id), 2, /"/);
});
