import assert from 'node:assert/strict';
import { before, describe } from 'node:test';
import type { Engine } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { manualAccounts, transactions } from '../../db/tables/tables.ts';
import { engines } from '../../db/testing/engines.ts';
import { newBook } from '../../identity/users/testing/new-book.ts';
import type { TransactionRow } from '../../ledger/transactions/writes.ts';
import { exported } from '../../pages/testing/filled-book.ts';
import { plainId } from '../comparison.ts';
import type { EntryVerdict, ImportEntry, ImportPlan } from '../entry.ts';
import { importEntries, type ImportSummary } from '../commit.ts';

/** An entry of a file. */
export function entryOf(parts: Partial<ImportEntry> = {}): ImportEntry {
  return {
    line: 2,
    date: '2024-01-10',
    amount: -100_000,
    currency: null,
    payee: 'Shop',
    notes: null,
    category: null,
    account: null,
    externalId: null,
    ...parts,
  };
}

/** An entry of a file that has ids, as its reader returns it. */
export function entryWithId(id: string, parts: Partial<ImportEntry> = {}): ImportEntry {
  const bankId = { id, nth: 1, isRepeated: false };
  return entryOf({ externalId: plainId(bankId), bankId, ...parts });
}

/** A book of its own for the imports of a test. */
export class ImportBook {
  readonly engine: Engine;
  readonly id: number;
  readonly #defaultAccount: string | null;

  private constructor(engine: Engine, id: number, defaultAccount: string | null) {
    this.engine = engine;
    this.id = id;
    this.#defaultAccount = defaultAccount;
  }

  static async create(engine: Engine, defaultAccount: string | null = 'Bank'): Promise<ImportBook> {
    return new ImportBook(engine, (await newBook(engine)).id, defaultAccount);
  }

  load(entries: readonly ImportEntry[], plan: Partial<ImportPlan> = {}): Promise<ImportSummary> {
    return importEntries(this.engine, this.id, {
      entries: () => entries,
      defaultAccount: this.#defaultAccount,
      dryRun: false,
      ...plan,
    });
  }

  /** Imports a file of which so many entries are new. */
  async adds(count: number, entries: readonly ImportEntry[], format?: string): Promise<void> {
    const { imported } = await this.load(entries, format === undefined ? {} : { format });
    assert.equal(imported, count, `${format} ${JSON.stringify(entries).slice(0, 500)}`);
  }

  /** What the import of a file would decide about each entry. */
  async verdicts(entries: readonly ImportEntry[], format: string): Promise<EntryVerdict[]> {
    const all: EntryVerdict[] = [];
    await this.load(entries, { dryRun: true, onVerdict: (each) => all.push(each), format });
    return all.toSorted((a, b) => a.number - b.number);
  }

  rows(): Promise<TransactionRow[]> {
    return this.engine.read(() => select(transactions, { book_id: this.id }));
  }

  accounts(): Promise<Row<typeof manualAccounts>[]> {
    return this.engine.read(() => select(manualAccounts, { book_id: this.id }));
  }

  exported(): ReturnType<typeof exported> {
    return exported(this.engine, { id: this.id });
  }
}

/** Registers a suite on both engines, whose tests share one database. */
export function onBothEngines(
  title: string,
  suite: (on: { readonly engine: Engine }, name: string) => void,
  now?: () => number,
): void {
  for (const { name, skip, open } of engines)
    describe(`${title} on ${name}`, { skip }, () => {
      const on: { engine: Engine } = { engine: undefined as never };
      before(async () => {
        on.engine = await open(now);
      });
      suite(on, name);
    });
}
