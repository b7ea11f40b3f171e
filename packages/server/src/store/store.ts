import type { BookExport, ExportedTransaction } from '../records/export.ts';
import type { Store } from '../records/store.ts';
import { listCategories } from './categories.ts';
import { check } from './check.ts';
import * as crypto from './crypto.ts';
import { fillDemo } from './demo.ts';
import type { Engine } from './engine.ts';
import { StoreBusyError } from './engine.ts';
import { exportBook } from './export.ts';
import type { ExportedRecords } from './export.ts';
import * as identity from './identity.ts';
import { importEntries } from './import.ts';
import { getTransaction, listTransactions } from './pages.ts';
import { readiness } from './readiness.ts';
import { RememberedKeys } from './remembered-keys.ts';

/** Some 150 bytes each: at most 3 MB. */
const rememberedKeysCapacity = 20_000;

/** The store on an engine: each method is one operation. */
export function createStore(engine: Engine): Store {
  const remembered = new RememberedKeys(rememberedKeysCapacity);
  const { dialect } = engine;
  return {
    authenticate: (hash, nowIso) => engine.readOne(() => identity.authenticate(hash, nowIso)),
    touchToken: (tokenId, nowIso) => touch(engine, tokenId, nowIso),
    createUser: (user) => engine.write(() => identity.createUser(user)),
    findBooks: (email) => engine.readOne(() => identity.findBooks(email)),
    isEmpty: () => engine.readOne(() => identity.isEmpty()),
    createToken: (token) => engine.write(() => identity.createToken(token)),
    listTokens: (bookId) => engine.readOne(() => identity.listTokens(bookId)),
    revokeToken: (bookId, tokenId, nowIso) =>
      engine.write(() => identity.revokeToken(bookId, tokenId, nowIso)),
    listTransactions: (bookId, query) =>
      engine.read(() => listTransactions(bookId, query, remembered)),
    getTransaction: (bookId, id) => engine.readOne(() => getTransaction(bookId, id, dialect)),
    listCategories: (bookId) => engine.read(() => listCategories(bookId)),
    createCryptoAccount: (bookId, account) =>
      engine.write(() => crypto.createCryptoAccount(bookId, account)),
    listCryptoAccounts: (bookId) => engine.read(() => crypto.listCryptoAccounts(bookId)),
    findCryptoConnection: (bookId, id) =>
      engine.read(() => crypto.findCryptoConnection(bookId, id)),
    saveCryptoReading: (bookId, id, reading) =>
      engine.write(() => crypto.saveCryptoReading(bookId, id, reading)),
    setCryptoStatus: (bookId, id, status, nowIso) =>
      engine.write(() => crypto.setCryptoStatus(bookId, id, status, nowIso)),
    removeCryptoAccount: (bookId, id) => engine.write(() => crypto.removeCryptoAccount(bookId, id)),
    importEntries: (bookId, plan) =>
      engine.write(() => importEntries(bookId, plan, dialect), { rollback: plan.dryRun }),
    fillDemo: (bookId, demo) => engine.write(() => fillDemo(bookId, demo, dialect)),
    exportBook: (bookId) => readExport(engine, bookId),
    check: ({ repair }) =>
      engine.write(() => check(repair, dialect), { rollback: !repair, onSnapshot: true }),
    readiness: () => readiness(engine),
    close: () => engine.close(),
  };
}

/** The time of last use is a courtesy: no request waits or fails for it. */
async function touch(engine: Engine, tokenId: number, nowIso: string): Promise<void> {
  try {
    await engine.write(() => identity.touchToken(tokenId, nowIso), { waitMs: 0 });
  } catch (error) {
    if (!(error instanceof StoreBusyError)) throw error;
  }
}

async function readExport(engine: Engine, bookId: number): Promise<BookExport> {
  const parts = engine.stream(() => exportBook(bookId))[Symbol.asyncIterator]();
  const first = await parts.next();
  if (first.done === true) throw new Error(`The export of book ${bookId} is empty`);
  const transactions = {
    [Symbol.asyncIterator]: () => parts,
  } as AsyncIterable<ExportedTransaction>;
  return { ...(first.value as ExportedRecords), transactions };
}
