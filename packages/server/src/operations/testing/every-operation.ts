import { authenticate } from '../../identity/users/testing/authenticate.ts';
import {
  finishAttempt,
  advance,
  disable,
  dueWebhooks,
  nextStep,
  takeWebhook,
} from '../../webhooks/deliveries.ts';
import { createLink } from '../../identity/sessions/actions.ts';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { jobsOf } from '../../all-jobs.ts';
import { operations } from '../../all.ts';
import { changing } from '../../book/change.ts';
import { undo } from '../../book/undo.ts';
import { insertUnlogged } from '../../book/unlogged.ts';
import { rows, type Engine } from '../../db/engine.ts';
import { readiness } from '../../db/readiness.ts';
import { select } from '../../db/rows.ts';
import * as tables from '../../db/tables/tables.ts';
import type { RecordingEngine } from '../../db/testing/recording-engine.ts';
import { Authenticator } from '../../identity/passkeys/testing/authenticator.ts';
import * as sessions from '../../identity/sessions/actions.ts';
import { hashPassword } from '../../identity/sessions/passwords.ts';
import * as users from '../../identity/users/actions.ts';
import { newBook } from '../../identity/users/testing/new-book.ts';
import type { ImportEntry } from '../../imports/entry.ts';
import { importEntries } from '../../imports/commit.ts';
import { openTemporary } from '../../imports/statement-file.ts';
import { archiveAccount, listAccounts, renameAccount } from '../../ledger/accounts/actions.ts';
import { hasCategories, listCategories, renameCategory } from '../../ledger/categories/actions.ts';
import type { DayRates } from '../../ledger/currencies/ecb.ts';
import { importRates } from '../../ledger/rerate.ts';
import { listRecurring } from '../../ledger/recurring/items.ts';
import { listRules } from '../../ledger/rules/actions.ts';
import * as ruleCommands from '../../ledger/rules/commands.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { removeBook } from '../../maintenance/user-removal.ts';
import { RememberedKeys } from '../../pages/remembered-keys.ts';
import { fill, type Filled } from '../../pages/testing/filled-book.ts';
import { bookArbitrary } from '../../pages/testing/page-model.ts';
import * as connections from '../../sync/banks/actions.ts';
import { linkCryptoAccount, unlinkCryptoAccount } from '../../sync/crypto/actions.ts';
import { listWebhooks } from '../../webhooks/actions.ts';
import { retryTiming } from '../../webhooks/rules.ts';
import type { Book, Identity } from '../caller.ts';
import type { Described } from '../declaration.ts';
import { OtherResponse, FileStream, WithCookies } from '../responses.ts';
import { requestReader } from '../request/request-reader.ts';
import { catalogue, targetOf, usesUpUser } from './catalogue.ts';
import type { GoodRequest } from './special-requests.ts';
import { seed, variantsOf } from './every-variant.ts';
import { fixedServices } from './fixed-services.ts';
import { pathsOf } from './id-places.ts';
import { outsideRecords } from './outside-records.ts';
import { RecordBook, type Send } from './record-book.ts';
import type { Client } from '../operation.ts';

export const nowIso = '2026-04-01T00:00:00.000Z';
const hash = createHash('sha256').update('a token').digest();

/**
 * Performs every operation and every command on the third of three books, and returns that book. The clock of the
 * engine must be at {@link nowIso}.
 */
export async function performAll(engine: RecordingEngine): Promise<Book> {
  engine.operation = 'createUser';
  await newBook(engine);
  await newBook(engine);
  const book = await newBook(engine);
  const [demo] = fc.sample(
    bookArbitrary.filter(({ transactions }) => transactions.length > 40),
    { numRuns: 1, seed },
  );
  engine.operation = 'fillDemo';
  const filled = await fill(engine, book, demo!);
  for (const [name, perform] of Object.entries(commandsBefore(engine, book))) {
    engine.operation = name;
    await perform();
  }
  await performRequests(engine, filled);
  for (const job of jobsOf({ ratesUrl: null, historyDays: 1 }, fixedServices, noLog)) {
    engine.operation = `the job ${job.name}`;
    await job.run(engine, Date.parse(nowIso), new AbortController().signal);
  }
  for (const [name, perform] of Object.entries(commandsAfter(engine, book))) {
    engine.operation = name;
    await perform();
  }
  engine.operation = 'the test';
  return book;
}

const noLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
const rule = {
  name: 'By a command',
  conditions: { amount: { min: '1' } },
  actions: { reviewed: true },
};

let tokenId = 0;
let account = 0;
let secretHash: Uint8Array;

const byCommand = (bookId: number) => ({ bookId, actor: 'command', operation: 'sync' });

function commandsBefore(engine: Engine, book: Book) {
  const { id, userId } = book;
  const token = { userId, bookId: id, hash, label: null, expiresAt: null };
  const sealed_credentials = Uint8Array.of(1);
  return {
    createToken: async () => (tokenId = await engine.write(() => users.createToken(token))),
    addSignIn: async () => ({ hash: secretHash } = await addSignIn(engine, book)),
    addConnection: () =>
      connections.addConnection(engine, byCommand(id), {
        provider: 'simplefin',
        name: 'Bank',
        sealed_credentials,
      }),
    linkCryptoAccount: async () => {
      const made = { provider: 'kraken', display_name: null, sealed_credentials } as const;
      account = await linkCryptoAccount(engine, id, made);
    },
    importEntries: async () => {
      const entries = importedEntries();
      await importEntries(engine, id, importOf(entries));
      await importEntries(engine, id, importOf(entries));
    },
  };
}

function commandsAfter(engine: Engine, { id, userId }: Book) {
  return {
    dueWebhooks: () => engine.read(() => dueWebhooks(Date.parse(nowIso), 'a node', 10)),
    deliveries: () => deliver(engine, id),
    addRule: () => engine.write(() => ruleCommands.addRule(id, rule)),
    rules: async () => {
      const [first] = await engine.read(() => listRules(id));
      await engine.read(() => ruleCommands.namesForRules(id));
      await engine.write(() => ruleCommands.putRulesFirst(id, [first!.id]));
      await engine.write(() => ruleCommands.dropRule(id, first!.id));
    },
    listRecurring: () => engine.read(() => listRecurring(id)),
    importRates: () => {
      const rates: DayRates = new Map([['2025-12-01', new Map([['usd', '1.2']])]]);
      return importRates(engine, { files: [rates], source: 'file', actor: 'command' });
    },
    connections: async () => {
      const [first] = await engine.read(() => connections.listConnections(id));
      await engine.read(() => connections.findConnection(id, first!.id));
      assert.ok(await connections.removeConnection(engine, byCommand(id), first!.id));
    },
    undo: () => undoAll(engine, id),
    authenticate: async () => assert.ok(await engine.read(() => authenticate(hash))),
    touchSession: () => engine.write(() => sessions.touchSession(1, '2026-01-01T00:00:00.000Z')),
    touchToken: () => engine.write(() => users.touchToken(tokenId, '2026-01-01T00:00:00.000Z')),
    listTokens: () => engine.read(() => users.listTokens(id)),
    unlinkCryptoAccount: () => unlinkCryptoAccount(engine, id, account),
    hasCategories: () => engine.read(() => hasCategories(id)),
    findBooks: () => engine.read(() => users.findBooks('user3@example.com')),
    readiness: () => readiness(engine),
    check: () => checkDatabase(engine, { repair: false }),
    renameToken: () => engine.write(() => users.renameToken(id, tokenId, 'a label')),
    revokeToken: () => engine.write(() => users.revokeToken(id, tokenId)),
    importAgain: () => importEntries(engine, id, importOf(importedEntries())),
    accounts: async () => {
      const [first] = await engine.read(() => listAccounts(id));
      await engine.write(() => renameAccount(id, first!.id, 'Renamed'));
      await engine.write(() => archiveAccount(id, first!.id, true));
    },
    categories: async () => {
      const [first] = await engine.read(() => listCategories(id));
      await engine.write(() => renameCategory(id, first!.id, 'Another name'));
    },
    listUsers: () => engine.read(users.listUsers),
    findUser: () => engine.read(() => users.findUser('user3@example.com')),
    renameUser: () => engine.write(() => users.renameUser(userId, 'Renamed')),
    booksOf: () => engine.read(() => users.booksOf(userId)),
    createBook: () =>
      engine.write(() => users.createBook({ userId, name: 'New', primaryCurrency: 'usd' })),
    renameBook: () => engine.write(() => users.renameBook(id, 'Renamed')),
    contentsOf: () => engine.read(() => users.contentsOf(id)),
    // A removal of a user has these statements for each book.
    removeBook: () => removeBook(engine, id, { files: null }),
  };
}

async function deliver(engine: Engine, bookId: number): Promise<void> {
  const [webhook] = await engine.read(() => listWebhooks(bookId));
  const key = { bookId, id: webhook!.id };
  const nowMs = Date.parse(nowIso);
  let lease = (await engine.write(() => takeWebhook(key, 'a node', 1000)))!;
  for (const status of [204, 500]) {
    const step = await engine.read(() => nextStep(key, nowMs));
    assert.ok(step.is === 'send');
    const outcome = { status, error: null, retryAfterMs: null, durationMs: 1 };
    const attempt = { key, lease, leaseMs: 1000, ...step, outcome, nowMs };
    ({ lease } = await engine.write(() =>
      finishAttempt({ ...attempt, timing: retryTiming, random: 0 }),
    ));
    await engine.write(() => advance(webhook!, step.event.to));
  }
  await engine.write(() => disable(key, 'moved', nowIso));
}

async function undoAll(engine: Engine, bookId: number): Promise<void> {
  const found = await engine.read(() =>
    rows<{ version: number }>(sql`SELECT version FROM books WHERE id = ${bookId}`),
  );
  const cause = { bookId, actor: 'command', operation: 'undo' };
  for (let version = found[0]!.version; version > 2; version -= 1)
    await engine.write(() => changing(cause, (change) => undo(change, version)));
}

function importOf(entries: readonly ImportEntry[]): Parameters<typeof importEntries>[2] {
  return { entries: () => entries, defaultAccount: null, dryRun: false };
}

/** Entries with and without a bank's id, an account, and a category, on many days. */
function importedEntries(): ImportEntry[] {
  return Array.from({ length: 130 }, (_, at) => ({
    line: at + 1,
    date: new Date(Date.UTC(2024, 0, 1 + (at % 120))).toISOString().slice(0, 10),
    amount: -at,
    currency: null,
    payee: `P${at}`,
    notes: null,
    category: at % 2 ? 'A category' : null,
    account: at % 3 ? 'An account' : null,
    externalId: at % 5 ? (at < 2 ? 'x'.repeat(75) : `id${at}`) : null,
    ...(at % 7 === 0 && { bankId: { id: `id${at}`, nth: 1, isRepeated: true } }),
  }));
}

export const fixedClient: Client = {
  source: '192.0.2.1',
  userAgent: 'Test/1',
  origin: 'http://localhost:8080',
  host: 'localhost',
  cookieHash: Buffer.alloc(32, 7),
  deviceCookies: [],
};
/** As in the example of a changed password. */
const fixedPassword = 'correct horse battery';
let fixedHash: Promise<string> | undefined;
/** For a new passkey, and to sign in. */
const challenges = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const;

async function addSignIn(engine: Engine, { id, userId }: Book): Promise<{ hash: Uint8Array }> {
  const phc = await (fixedHash ??= hashPassword(fixedPassword));
  const expires_at = new Date(Date.parse(nowIso) + 1000).toISOString();
  const session = { userId, bookId: id, method: 'link', userAgent: null, replaces: null } as const;
  return engine.write(function* () {
    yield* insertUnlogged(tables.passwords, { user_id: userId, phc, changed_at: nowIso });
    for (const [n, challenge] of challenges.entries())
      yield* insertUnlogged(tables.passkeyChallenges, {
        challenge,
        user_id: n === 0 ? userId : null,
        expires_at,
      });
    yield* createLink({ id, userId });
    return yield* sessions.createSession(session);
  });
}

/** Examples that need another book: without a password, with more versions, or with a certain file. */
const unsent = new Set(['setPassword first', 'createWebhook all', 'commitImport choices']);

/** The last requests: what they change would change what others do. */
const last = ['updateBudgetSettings', 'setPassword', 'endSession', 'signOut'];

function rankOf({ declaration }: Described): number {
  return last.indexOf(declaration.id);
}

/** Performs the requests of the catalogue for each operation, each example, and variants of them. */
async function performRequests(engine: RecordingEngine, filled: Filled): Promise<void> {
  engine.operation = 'authenticate';
  const token = await engine.read(() => authenticate(hash));
  engine.operation = 'identityOfSession';
  const session = await engine.read(() => sessions.identityOfSession(secretHash, filled.book.id));
  engine.operation = 'bookOfSession';
  assert.equal(await engine.read(() => sessions.bookOfSession(secretHash)), filled.book.id);
  const identity = { ...token!, session: session!.session };
  const { id: bookId, userId } = filled.book;
  const send = senderOf(engine, bookId, identity);
  const outside = outsideRecords(engine, { bookId, userId }, fixedClient.origin, undefined, () =>
    Date.parse(nowIso),
  );
  const records = new RecordBook(send, outside);
  const variants = variantsOf(filled, account);
  for (const operation of catalogue.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const { id, bodyExamples = {} } = operation.declaration;
    // A command does the same at the end.
    if (id === usesUpUser) continue;
    const examples = Object.keys(bodyExamples).filter((name) => !unsent.has(`${id} ${name}`));
    const choices = examples.length === 0 ? [{}] : examples.map((example) => ({ example }));
    // It is possible once a minute.
    const isOnce = id === 'triggerPlaidAccountFetch';
    for (const path of isOnce ? [] : pathsOf(operation))
      for (const choice of choices) await send(await records.request(id, { path, ...choice }));
    for (const variant of variants[id] ?? [])
      await send({ ...(await records.request(id)), ...variant });
    if (id === 'commitImport') await commitRemembered(records, send);
    if (id === 'signIn') await signInOtherwise(engine, filled.book, records, send);
  }
}

/** Imports a file with options that are remembered for the next one. */
async function commitRemembered(records: RecordBook, send: Send): Promise<void> {
  const sent = { ...(await records.request('previewImport')), query: { account: 'Previewed' } };
  const { id } = (await send(sent)) as { id: number };
  await send(await records.request('commitImport', { at: { place: 'path id', id } }));
}

async function signInOtherwise(engine: Engine, { userId }: Book, records: RecordBook, send: Send) {
  const [user] = await engine.read(() => select(tables.users, { id: userId }));
  const request = await records.request('signIn');
  const bodies = { method: 'password', email: user!.email, password: fixedPassword };
  await send({ ...request, body: bodies });
  const authenticator = new Authenticator(fixedClient.origin);
  const [created, used] = challenges.map((each) => each.toString('base64url')) as [string, string];
  const credential = authenticator.create({ challenge: created });
  const passkey = { ...(await records.request('createPasskey')) };
  await send({ ...passkey, body: { challenge_id: created, credential, name: 'Laptop' } });
  const signed = authenticator.get({ challenge: used });
  await send({ ...request, body: { method: 'passkey', challenge_id: used, credential: signed } });
}

function senderOf(engine: RecordingEngine, bookId: number, identity: Identity): Send {
  const all = new Map(
    operations(fixedServices).map((operation) => [
      operation.declaration.id,
      { operation, read: requestReader(operation) },
    ]),
  );
  const pageKeys = new RememberedKeys(1000);
  // One that changes the book, and one that calls another server first.
  const keyed = new Set(['createTag', 'createCryptoManual']);
  return async (request) => {
    const { declaration } = request.operation;
    const { operation, read } = all.get(declaration.id)!;
    const values = await read(receivedOf(request));
    engine.operation = declaration.id;
    const key = keyed.delete(declaration.id) ? { idempotencyKey: declaration.id } : {};
    const common = { identity, bookId, pageKeys, client: fixedClient, ...key };
    const result = await operation.run(engine, { ...common, ...values });
    engine.operation = 'the test';
    return bodyOf(result);
  };
}

/** Returns the parts of a request, as its reader takes them. */
export function receivedOf(request: GoodRequest): Parameters<ReturnType<typeof requestReader>>[0] {
  const { declaration } = request.operation;
  const { search } = new URL(targetOf(request), 'http://localhost');
  const names = [...declaration.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parts = targetOf({ ...request, query: {} }).split('/');
  const at = declaration.path.split('/');
  const path = Object.fromEntries(names.map((name) => [name, parts[at.indexOf(`{${name}}`)]!]));
  const body = request.file === undefined ? request.body : bodyWith(request);
  return { query: search.slice(1), path, body };
}

function bodyWith({ operation, file }: GoodRequest): unknown {
  const bytes = Buffer.from(file!.bytes);
  if (operation.declaration.multipart === true) {
    const pdf = { name: 'a.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.7\n%%EOF\n') };
    return [
      ['file', pdf],
      ['notes', 'For the office'],
    ];
  }
  const opened = openTemporary();
  const size = writeSync(opened, bytes);
  const received = { name: 'may.csv', bytes: size, hash: 'ab', take: () => opened };
  return { file: { ...received, close: () => undefined }, fields: [] };
}

async function bodyOf(result: unknown): Promise<unknown> {
  if (result instanceof FileStream) return Array.fromAsync(result.pieces);
  const isWrapped = result instanceof WithCookies || result instanceof OtherResponse;
  const body: unknown = isWrapped ? result.body : result;
  const isPieces = Array.isArray(body) && body[0] instanceof Uint8Array;
  const text = isPieces
    ? Buffer.concat(body as Uint8Array[]).toString()
    : JSON.stringify(body ?? null);
  return JSON.parse(text) as unknown;
}
