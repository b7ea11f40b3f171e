import { createToken, revokeToken, linkCryptoAccount } from '../../packages/server/src/main.ts';
import { randomBytes } from 'node:crypto';
import { newToken, type Engine } from '../../packages/server/src/main.ts';
import { exampleCoinbaseCredentials } from '../../packages/server/src/connectors/testing/example-credentials.ts';
import { sealCredentials } from '../../packages/server/src/connectors/sealed-credentials.ts';
import type { CryptoCredentials } from '../../packages/server/src/resources/crypto/rules.ts';
import { addOwner, type Owner } from '../run/book.ts';
import type { Canary } from './canaries.ts';

/** Whose secrets they are, and where each may be. */
export interface Secrets {
  readonly ada: Owner;
  readonly ben: Owner;
  /** Hashes that the database must have: who looks for tokens there must be able to find something. */
  readonly hashes: readonly Uint8Array[];
  /** May be nowhere at all. */
  readonly tokens: readonly Canary[];
  /** What ada told the service about providers, and the key that seals it: may be nowhere in plain, either. */
  readonly credentials: readonly Canary[];
  readonly encryptionKey: Uint8Array;
  /** A key of Kraken that ada adds by the command: a line each for the key and its secret. */
  readonly keyFile: string;
  /** Of ada's records: in the database, its copies, and what ada is answered. */
  readonly records: readonly Canary[];
  /** Sent in hostile requests: only the answer to who sent it may have it. */
  readonly sent: readonly Canary[];
  /** A file of ada's bank. */
  readonly statement: string;
}

/** Makes two owners and everything about them that must not be told. */
export async function makeSecrets(store: Engine): Promise<Secrets> {
  const [ada, ben] = [await addOwner(store, 'ada'), await addOwner(store, 'ben')];
  const dead = newToken();
  const { bookId, userId } = ada;
  const id = await store.write(() =>
    createToken({
      userId,
      bookId,
      hash: dead.hash,
      label: 'dead',
      expiresAt: null,
    }),
  );
  await store.write(() => revokeToken(bookId, id));
  const texts = {
    'token of ada': ada.token,
    'token of ben': ben.token,
    'revoked token': dead.text,
    'strange token': newToken().text,
  };
  const encryptionKey = randomBytes(32);
  const credentials = makeCredentials();
  for (const each of credentials)
    await linkCryptoAccount(store, bookId, {
      provider: each.provider,
      displayName: null,
      sealedCredentials: sealCredentials(encryptionKey, bookId, each),
    });
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
    hashes: [dead.hash],
    tokens: Object.entries(texts).map(([name, text]) => tokenCanary(name, text)),
    credentials: [...[...credentials, added].flatMap(credentialCanaries), keyCanary(encryptionKey)],
    encryptionKey,
    keyFile: `${added.apiKey}\n${added.privateKey}\n`,
    records,
    sent,
    statement: `Date,Payee,Amount,Notes,Category,Account\n${rows.join('\n')}\n`,
  };
}

/** Half of a token is as good as lost, too. */
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

/** Every text of the credentials but the name of the provider, and of those of several lines each line. */
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
