import { createToken, revokeToken, newToken, type Engine } from '../../packages/server/src/main.ts';
import { randomBytes } from 'node:crypto';
import { exampleCoinbaseCredentials } from '../../packages/server/src/connectors/testing/example-credentials.ts';
import type { CryptoCredentials } from '../../packages/server/src/resources/crypto/rules.ts';
import { addOwner, type Owner } from '../../test/service/owners.ts';
import { linkSealed } from '../../test/service/synced-accounts.ts';
import type { Canary } from './canaries.ts';

export interface Secrets {
  readonly ada: Owner;
  readonly ben: Owner;
  /** Hashes that the database must have, as a check of the search. */
  readonly hashes: readonly Uint8Array[];
  /** They must be nowhere. */
  readonly tokens: readonly Canary[];
  /** Credentials of ada for providers, and the encryption key: they must be nowhere in plain text. */
  readonly credentials: readonly Canary[];
  readonly encryptionKey: Uint8Array;
  readonly keyFile: string;
  /** Contents of ada's records: only in the database, its copies, and responses to ada. */
  readonly records: readonly Canary[];
  /** Sent in hostile requests: only the response to the sender may have it. */
  readonly sent: readonly Canary[];
  readonly statement: string;
}

export async function makeSecrets(store: Engine): Promise<Secrets> {
  const [ada, ben] = [await addOwner(store, 'ada'), await addOwner(store, 'ben')];
  const revoked = newToken();
  const { bookId, userId } = ada;
  const id = await store.write(() =>
    createToken({ userId, bookId, hash: revoked.hash, label: 'revoked', expiresAt: null }),
  );
  await store.write(() => revokeToken(bookId, id));
  const texts = {
    'token of ada': ada.token,
    'token of ben': ben.token,
    'revoked token': revoked.text,
    'strange token': newToken().text,
  };
  const encryptionKey = randomBytes(32);
  const credentials = makeCredentials();
  for (const each of credentials) await linkSealed(store, encryptionKey, bookId, each);
  const added = makeKrakenKey();
  const records = ['payee', 'note', 'category', 'account'].map((name) => ({
    name: `${name} of ada`,
    text: ibanLike(name),
  }));
  const sent = ['in a query', 'in a path', 'in a header', 'in a body'].map((name) => ({
    name: `IBAN ${name}`,
    text: ibanLike('sent'),
  }));
  const [payee, note, category, account] = records.map(({ text }) => text);
  const rows = Array.from(
    { length: 40 },
    (_, n) => `2026-01-0${1 + (n % 9)},${payee} ${n},-1.00,${note} ${n},${category},${account}`,
  );
  return {
    ada,
    ben,
    hashes: [revoked.hash],
    tokens: Object.entries(texts).map(([name, text]) => tokenCanary(name, text)),
    credentials: [...[...credentials, added].flatMap(credentialCanaries), keyCanary(encryptionKey)],
    encryptionKey,
    keyFile: `${added.apiKey}\n${added.privateKey}\n`,
    records,
    sent,
    statement: `Date,Payee,Amount,Notes,Category,Account\n${rows.join('\n')}\n`,
  };
}

/** Half of a token is a leak, too. */
function tokenCanary(name: string, text: string): Canary {
  const secret = text.slice('coffer_'.length);
  return { name, text, pieces: [secret.slice(0, 16), secret.slice(16, 32), secret.slice(-16)] };
}

function ibanLike(word: string): string {
  const digits = BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString()
    .padStart(20, '0');
  return `DE${digits.slice(0, 20)}${word.toUpperCase()}`;
}

function makeKrakenKey() {
  const base64 = (length: number): string => randomBytes(length).toString('base64');
  return { provider: 'kraken', apiKey: base64(42), privateKey: base64(64) } as const;
}

function makeCredentials(): CryptoCredentials[] {
  return [
    makeKrakenKey(),
    exampleCoinbaseCredentials('ES256').credentials,
    exampleCoinbaseCredentials('EdDSA').credentials,
    { provider: 'ethereum', address: `0x${randomBytes(20).toString('hex')}` },
  ];
}

/** Returns every text of the credentials except the provider, and each line of a text with several lines. */
function credentialCanaries({ provider, ...secrets }: CryptoCredentials): Canary[] {
  return Object.entries(secrets)
    .filter(([name]) => name !== 'keyName')
    .map(([name, text]) => ({
      name: `${name} of ${provider}`,
      text,
      pieces: text.split('\n').filter((line) => line.length > 30 && !line.startsWith('-----')),
    }));
}

function keyCanary(key: Uint8Array): Canary {
  const base64 = Buffer.from(key).toString('base64');
  return {
    name: 'encryption key',
    text: Buffer.from(key).toString('hex'),
    pieces: [base64],
    bytes: key,
  };
}
