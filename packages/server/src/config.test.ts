import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

type Arguments = Parameters<typeof readConfig>;

function problemsOf(flags: Arguments[0], environment: Arguments[1] = {}): readonly string[] {
  try {
    readConfig(flags, environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  assert.fail('The settings were taken');
}

const usual = {
  ethereumRpcUrl: null,
  krakenUrl: 'https://api.kraken.com',
  coinbaseUrl: 'https://api.coinbase.com',
  pricesUrl: null,
  encryptionKey: null,
};

test('providers are asked at their own places, a wallet nowhere, and there is no key, unless said', () => {
  assert.deepEqual(readConfig({}, {}).providers, usual);
  const empty = { ENCRYPTION_KEY: '', ETHEREUM_RPC_URL: '', KRAKEN_URL: '' };
  assert.deepEqual(readConfig({}, empty).providers, usual);
});

test('the places of providers come from flags, then from the environment', () => {
  const environment = { KRAKEN_URL: 'http://127.0.0.1:1', COINBASE_URL: 'http://127.0.0.1:2/a' };
  const ethereumRpcUrl = 'https://node.example/k?x=1';
  const flags = { krakenUrl: 'https://kraken.example', ethereumRpcUrl };
  const expected = { ...usual, ...flags, coinbaseUrl: 'http://127.0.0.1:2/a' };
  assert.deepEqual(readConfig(flags, environment).providers, expected);
});

test('prices are read from a URL only if one is set', () => {
  const pricesUrl = 'https://api.coingecko.com/api/v3';
  const of = (text: string) => readConfig({}, { PRICES_URL: text }).providers.pricesUrl;
  assert.deepEqual(['', 'off', pricesUrl].map(of), [null, null, pricesUrl]);
  assert.equal(
    readConfig({ pricesUrl: 'off' }, { PRICES_URL: pricesUrl }).providers.pricesUrl,
    null,
  );
  for (const wrong of ['on', 'OFF', 'no', 'file:///etc/passwd'])
    assert.match(
      problemsOf({ pricesUrl: wrong }).join(),
      /^--prices-url \(PRICES_URL\): Use a URL/,
    );
});

test('exchange rates are read from a URL only if one is set', () => {
  const url = 'https://rates.example/eurofxref.zip';
  assert.equal(readConfig({}, {}).ratesUrl, null);
  assert.equal(readConfig({}, { RATES_URL: url }).ratesUrl, url);
  assert.equal(readConfig({ ratesUrl: '' }, { RATES_URL: url }).ratesUrl, null);
  for (const ratesUrl of ['file:///etc/passwd', 'rates', 'https://a:b@rates.example'])
    assert.match(problemsOf({ ratesUrl }).join(), /^--rates-url \(RATES_URL\): (?!.*rates\.e)/);
});

test('an encryption key is 32 bytes, as hexadecimal digits or as Base64, from the environment alone', () => {
  const bytes = Buffer.alloc(32, 0xab);
  for (const text of [bytes.toString('hex'), bytes.toString('base64')]) {
    const { encryptionKey } = readConfig({}, { ENCRYPTION_KEY: text }).providers;
    assert.deepEqual(encryptionKey && Buffer.from(encryptionKey), bytes);
  }
  const flags = { encryptionKey: bytes.toString('hex') } as Arguments[0];
  assert.equal(readConfig(flags, {}).providers.encryptionKey, null);
});

test('everything that is wrong is told at once, and nothing of a URL or a key is said again', () => {
  const problems = problemsOf(
    {
      krakenUrl: 'ftp://canary.example',
      coinbaseUrl: 'canary',
      pricesUrl: 'https://user:canary@prices.example',
      ethereumRpcUrl: 'https://node.example/#canary',
      port: '99999',
    },
    { ENCRYPTION_KEY: 'canary' },
  );
  const names = problems.map((problem) => problem.slice(0, problem.indexOf(':')));
  const urls = ['ethereum-rpc', 'kraken', 'coinbase', 'prices'].map(
    (name) => `--${name}-url (${name.toUpperCase().replace('-', '_')}_URL)`,
  );
  assert.deepEqual(names, ['--port (PORT)', ...urls, 'ENCRYPTION_KEY']);
  assert.doesNotMatch(problems.join('\n'), /canary/);
  const others = 'https:// http:/// //a.example https://user@a.example http://:p@a.example';
  for (const krakenUrl of others.split(' '))
    assert.equal(problemsOf({ krakenUrl }).length, 1, krakenUrl);
});

test('a server goes on for no time when told to stop, unless said: up to 300 seconds', () => {
  const stopDelayMs = (stopDelay?: string): number =>
    readConfig(stopDelay === undefined ? {} : { stopDelay }, {}).stopDelayMs;
  assert.deepEqual(
    [undefined, '0s', '5s', '750ms', '300s', '300000ms'].map(stopDelayMs),
    [0, 0, 5000, 750, 300_000, 300_000],
  );
  for (const stopDelay of ['', '5', '-1s', '301s', '300001ms', '1.5s', '05s', '5m', ' 5s', '5 s']) {
    const [problem = '', ...others] = problemsOf({ stopDelay });
    assert.deepEqual(others, []);
    assert.ok(problem.startsWith('--stop-delay (STOP_DELAY): '), problem);
    assert.ok(problem.includes(`"${stopDelay}"`), problem);
  }
});

test('the change log is kept for ever, or for a number of days', () => {
  const historyDays = (days: string) => readConfig({ historyDays: days }, {}).historyDays;
  assert.equal(readConfig({}, {}).historyDays, null);
  assert.equal(readConfig({}, { HISTORY_DAYS: '30' }).historyDays, 30);
  assert.deepEqual(['', '1', '100000'].map(historyDays), [null, 1, 100_000]);
  for (const days of ['0', '-1', '1.5', '01', '100001', '9'.repeat(30), '30d', ' 30'])
    assert.deepEqual(problemsOf({ historyDays: days }), [
      `--history-days (HISTORY_DAYS): Invalid number of days "${days}": use 1 to 100000`,
    ]);
});

test('backups have a place, a time between them, and a number that is kept', () => {
  const dayMs = 86_400_000;
  const backups = (flags: Arguments[0]) => readConfig({ backupTo: '/b', ...flags }, {}).backups!;
  assert.equal(readConfig({}, {}).backups, null);
  assert.deepEqual(backups({}), {
    to: { kind: 'folder', path: '/b' },
    everyMs: dayMs,
    keep: 14,
    keepMs: null,
  });
  const times = ['1m', '12h', '1d', '365d'].map((backupEvery) => backups({ backupEvery }).everyMs);
  assert.deepEqual(times, [60_000, dayMs / 2, dayMs, 365 * dayMs]);
  const kept = ['1', '10000', '30/90d', '2/12h'].map((backupKeep) => backups({ backupKeep }));
  assert.deepEqual(
    kept.map(({ keep, keepMs }) => [keep, keepMs]),
    [
      [1, null],
      [10_000, null],
      [30, 90 * dayMs],
      [2, dayMs / 2],
    ],
  );
  const bucket = 's3://KEY:SECRET@s3.example.org/bucket/coffer';
  assert.equal(readConfig({}, { BACKUP_TO: bucket }).backups?.to.kind, 's3');
  for (const text of [
    '0d',
    '1',
    '1s',
    '59s',
    '366d',
    '1.5h',
    '-1d',
    ' 1d',
    '1 d',
    '01d',
    '1w',
    '9'.repeat(30) + 'd',
  ])
    assert.deepEqual(problemsOf({ backupTo: '/b', backupEvery: text }), [
      `--backup-every (BACKUP_EVERY): Invalid time "${text}": use 1m to 365d, for example 12h or 1d`,
    ]);
  for (const text of ['0', '10001', '1/', '1/1', '/1d', '1/1d/1d', '1/0d', '90d', '-1', '1.5', 'x'])
    assert.match(
      problemsOf({ backupTo: '/b', backupKeep: text }).join(),
      new RegExp(`KEEP\\): .*"${text}"`),
    );
  // Somebody who says how often wants backups.
  const [every, keep] = problemsOf({ backupEvery: '1d', backupKeep: '7' });
  assert.equal(every, '--backup-every: There are no backups without --backup-to (BACKUP_TO)');
  assert.equal(keep, '--backup-keep: There are no backups without --backup-to (BACKUP_TO)');
  const secret = problemsOf({}, { BACKUP_TO: 'ftp://KEY:SECRET@h/b', BACKUP_EVERY: '1d' });
  assert.equal(secret.length, 1);
  assert.doesNotMatch(secret.join(), /SECRET@h/);
});

test('responses are compressed unless that is turned off', () => {
  assert.equal(readConfig({}, {}).compression, true);
  assert.equal(readConfig({}, { COMPRESSION: 'off' }).compression, false);
  assert.equal(readConfig({ compression: 'on' }, { COMPRESSION: 'off' }).compression, true);
  for (const compression of ['', 'gzip', 'ON', 'true'])
    assert.deepEqual(problemsOf({ compression }), [
      `--compression (COMPRESSION): Invalid switch "${compression}": use on or off`,
    ]);
});

test('the page cache has 32 MB, or as many as are set', () => {
  const bytes = (pageCache: string) => readConfig({ pageCache }, {}).pageCacheBytes;
  assert.equal(readConfig({}, {}).pageCacheBytes, 32_000_000);
  assert.equal(readConfig({}, { PAGE_CACHE: '7' }).pageCacheBytes, 7_000_000);
  assert.deepEqual(['0', '1', '16000'].map(bytes), [0, 1_000_000, 16_000_000_000]);
  for (const pageCache of ['', '-1', '1.5', '01', '16001', '9'.repeat(30), '32MB', ' 32', 'off'])
    assert.deepEqual(problemsOf({ pageCache }), [
      `--page-cache (PAGE_CACHE): Invalid number of megabytes "${pageCache}": use 0 to 16000`,
    ]);
});
