import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { changing } from '../../changes/changing.ts';
import { undo } from '../../changes/undo.ts';
import { rows, type Engine } from '../../db/engine.ts';
import { readiness } from '../../db/readiness.ts';
import type { RecordingEngine } from '../../db/testing/recording-engine.ts';
import type { ImportEntry } from '../../imports/entry.ts';
import { importEntries } from '../../imports/import.ts';
import { jobsOf } from '../../jobs/index.ts';
import { importRates } from '../../jobs/rates/import-rates.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { fill, type Filled } from '../../pages/testing/filled-book.ts';
import { bookArbitrary } from '../../pages/testing/page-model.ts';
import { archiveAccount, listAccounts, renameAccount } from '../accounts/actions.ts';
import { hasCategories, listCategories, renameCategory } from '../categories/actions.ts';
import { addConnection, findConnection } from '../connections/actions.ts';
import { listConnections, removeConnection } from '../connections/actions.ts';
import { linkCryptoAccount, unlinkCryptoAccount } from '../crypto/actions.ts';
import * as sessions from '../sessions/actions.ts';
import { fixedServices } from './fixed-services.ts';
import { addSignIn, performRequests } from './performed-requests.ts';
import type { DayRates } from '../currencies/actions.ts';
import { listRecurring } from '../recurring/actions.ts';
import { listRules } from '../rules/actions.ts';
import * as ruleCommands from '../rules/commands.ts';
import * as users from '../users/actions.ts';
import { advance, disable, dueWebhooks, listWebhooks } from '../webhooks/actions.ts';
import { nextStep, settle, takeWebhook } from '../webhooks/actions.ts';
import { retryTiming } from '../webhooks/rules.ts';
import * as admin from '../users/admin.ts';
import type { Book } from '../users/identity.ts';
import { newBook } from '../users/testing/new-book.ts';

const seed = 9;
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
  await performOperations(engine, filled);
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

const noLog = { info: () => undefined, warn: () => undefined };
const rule = {
  ...{ name: 'By a command', conditions: { amount: { min: '1' } } },
  actions: { reviewed: true },
};

let tokenId = 0;
let account = 0;
let secretHash: Uint8Array;

function commandsBefore(engine: Engine, { id, userId }: Book) {
  const token = { userId, bookId: id, hash, label: null, expiresAt: null };
  const sealedCredentials = Uint8Array.of(1);
  return {
    createToken: async () => (tokenId = await engine.write(() => users.createToken(token))),
    addSignIn: async () => ({ hash: secretHash } = await addSignIn(engine, { id, userId }, nowIso)),
    addConnection: () =>
      addConnection(engine, id, { provider: 'simplefin', name: 'Bank', sealedCredentials }),
    linkCryptoAccount: async () => {
      const made = { provider: 'kraken', displayName: null, sealedCredentials } as const;
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
      const [first] = await engine.read(() => listConnections(id));
      await engine.read(() => findConnection(id, first!.id));
      assert.ok(await removeConnection(engine, id, first!.id));
    },
    undo: () => undoAll(engine, id),
    authenticate: async () => assert.ok(await engine.read(() => users.authenticate(hash))),
    touchSession: () => engine.write(() => sessions.touchSession(1)),
    touchToken: () => engine.write(() => users.touchToken(tokenId)),
    listTokens: () => engine.read(() => users.listTokens(id)),
    unlinkCryptoAccount: () => unlinkCryptoAccount(engine, id, account),
    hasCategories: () => engine.read(() => hasCategories(id)),
    findBooks: () => engine.read(() => users.findBooks('user3@example.com')),
    hasNoUser: () => engine.read(users.hasNoUser),
    readiness: () => readiness(engine),
    check: () => checkDatabase(engine, { repair: false }),
    renameToken: () => engine.write(() => admin.renameToken(id, tokenId, 'a label')),
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
    listUsers: () => engine.read(admin.listUsers),
    findUser: () => engine.read(() => admin.findUser('user3@example.com')),
    renameUser: () => engine.write(() => admin.renameUser(userId, 'Renamed')),
    booksOf: () => engine.read(() => admin.booksOf(userId)),
    createBook: () =>
      engine.write(() => admin.createBook({ userId, name: 'New', primaryCurrency: 'usd' })),
    renameBook: () => engine.write(() => admin.renameBook(id, 'Renamed')),
    contentsOf: () => engine.read(() => admin.contentsOf(id)),
    // A removal of a user has these statements for each book.
    removeBook: () => engine.write(() => admin.removeBook(id)),
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
    ({ lease } = await engine.write(() => settle({ ...attempt, timing: retryTiming, random: 0 })));
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

async function performOperations(engine: RecordingEngine, filled: Filled): Promise<void> {
  engine.operation = 'authenticate';
  const token = await engine.read(() => users.authenticate(hash));
  engine.operation = 'identityOfSession';
  const session = await engine.read(() => sessions.identityOfSession(secretHash));
  const identity = { ...token!, session: session!.session };
  await performRequests(engine, filled, { identity, synced: account });
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
