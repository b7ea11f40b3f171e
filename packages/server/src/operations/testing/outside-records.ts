import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { instantOf } from '@coffer/core/dates';
import { changing } from '../../book/change.ts';
import { insertUnlogged } from '../../book/unlogged.ts';
import type { Engine } from '../../db/engine.ts';
import {
  cryptoAccounts,
  cryptoBalances,
  passkeyChallenges,
  plaidAccounts,
  sessions,
  signInLinks,
} from '../../db/tables/tables.ts';
import { Authenticator } from '../../identity/passkeys/testing/authenticator.ts';
import { databaseId, newSecret } from '../../identity/sessions/actions.ts';
import type { Outside } from './record-book.ts';

export interface Owner {
  readonly bookId: number;
  readonly userId: number;
}

const long = '2900-01-01T00:00:00.000Z';
const day = '2026-01-01';

/**
 * Makes the records of an owner that no operation creates; `origin` is where the browser reaches the service, and `now`
 * the clock of the service, which is not that of the engine.
 */
export function outsideRecords(
  engine: Engine,
  owner: Owner,
  origin: string,
  named = newName,
  now: () => number = Date.now,
): Outside {
  const { bookId: book_id, userId: user_id } = owner;
  const soon = () => instantOf(now() + 120_000);
  return {
    plaid: () => addPlaidAccount(engine, owner, named()),
    crypto: () => addCryptoAccount(engine, owner, named()),
    async link() {
      const { text, hash: secret_hash } = newSecret(128);
      await engine.write(function* () {
        const created_at = instantOf(now());
        const row = { secret_hash, user_id, book_id, created_at, expires_at: soon() };
        yield* insertUnlogged(signInLinks, { ...row, database_id: yield* databaseId() });
      });
      return text;
    },
    async passkey() {
      const challenge = newSecret(256).hash;
      const row = { challenge, user_id, expires_at: soon() };
      await engine.write(() => insertUnlogged(passkeyChallenges, row));
      const challenge_id = Buffer.from(challenge).toString('base64url');
      const credential = new Authenticator(origin).create({ challenge: challenge_id });
      return { challenge_id, credential };
    },
    setupToken,
  };
}

let bridge: Promise<number> | undefined;

/** Returns a setup token of a bridge to banks that has no accounts, and that ends with the process. */
async function setupToken(): Promise<string> {
  bridge ??= startBridge();
  return Buffer.from(`http://127.0.0.1:${await bridge}/claim`).toString('base64');
}

async function startBridge(): Promise<number> {
  const server = createServer(({ method }, response) => {
    const access = `http://client:secret@127.0.0.1:${port}/simplefin`;
    response.end(method === 'POST' ? access : '{"errors":[],"accounts":[]}');
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return port;
}

let names = 0;

function newName(): string {
  return `Synced ${(names += 1)}`;
}

export async function addPlaidAccount(
  engine: Engine,
  { bookId }: Pick<Owner, 'bookId'>,
  name = newName(),
): Promise<number> {
  const account = {
    name,
    institution_name: 'Bank',
    type: 'depository',
    subtype: 'checking',
    mask: '1234',
    currency: 'eur',
    balance: 10_000,
    to_base: 10_000,
    linked_by_name: 'Ada',
    date_linked: day,
  };
  const { id } = await engine.write(() =>
    changing({ bookId, actor: 'test', operation: 'test' }, (change) =>
      change.insert(plaidAccounts, account),
    ),
  );
  return id;
}

/** Adds a synced crypto account that holds bitcoin and ether, and whose credentials nothing can open. */
async function addCryptoAccount(engine: Engine, { bookId }: Owner, display_name: string) {
  const at = `${day}T00:00:00.000Z`;
  const account = {
    provider: 'kraken',
    status: 'active',
    display_name,
    created_by_name: 'Ada',
    created_at: at,
    updated_at: at,
    last_import: at,
    sealed_credentials: Buffer.of(1),
  } as const;
  return engine.write(() =>
    changing({ bookId, actor: 'test', operation: 'test' }, function* (change) {
      const { id } = yield* change.insert(cryptoAccounts, account);
      for (const symbol of ['btc', 'eth'])
        yield* change.insert(cryptoBalances, {
          account_id: id,
          symbol,
          name: symbol,
          quantity: '1.000000000000000000',
          coingecko_id: null,
          to_base: 1,
          price_as_of: at,
          read_at: at,
        });
      return id;
    }),
  );
}

export async function addSession(
  engine: Engine,
  { userId: user_id, bookId: book_id }: Owner,
): Promise<string> {
  const { text, hash: secret_hash } = newSecret(256);
  // By the clock of the service, which is not that of the engine.
  const at = new Date().toISOString();
  await engine.write(function* () {
    yield* insertUnlogged(sessions, {
      secret_hash,
      user_id,
      book_id,
      method: 'link',
      database_id: yield* databaseId(),
      created_at: at,
      seen_at: at,
      ends_at: long,
    });
  });
  return text;
}
