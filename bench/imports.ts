import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { readStatement } from '../packages/statements/src/read-statement.ts';
import type { ImportEntry } from '../packages/server/src/imports/entry.ts';
import { benchEntries } from './measure/book.ts';
import type { Figure } from './report/figure.ts';
import { cpuMs, median } from './measure/processor-time.ts';
import { measureInTurns } from './measure/turns.ts';
import { importRows, openBook } from './measure/workspace.ts';

const rows = 100_000;
const nowIso = '2026-01-01T00:00:00.000Z';

/**
 * Compares an import of 100,000 rows with a bare insert of the same rows.
 *
 * The bare insert is one prepared statement in one transaction. Its plain table has the same columns and indexes on
 * date, account and category. It does not search for duplicates, count or render. Both are measured in processor time,
 * in turn.
 */
export async function measureImports(folder: string): Promise<Figure[]> {
  const entries = [...benchEntries(rows)];
  const csv = Buffer.from(toCsv(entries));
  const newPath = (): string => join(mkdtempSync(join(folder, 'import-')), 'book.db');
  const cofferImport = (read: () => Iterable<ImportEntry>) => async (): Promise<number> => {
    const { engine, book } = await openBook(`sqlite:${newPath()}`);
    const ms = await cpuMs(() => importRows(engine, book, read()));
    await engine.close();
    return ms;
  };
  const bareInsert = async (): Promise<number> => {
    const bare = new BareTable(newPath());
    const ms = await cpuMs(() => bare.insert(entries));
    bare.close();
    return ms;
  };
  const targets = {
    bare: bareInsert,
    entries: cofferImport(() => entries),
    csv: cofferImport(() => readStatement({ open: () => [csv] }).entries()),
  };
  const samples = await measureInTurns(targets, { rounds: 7 });
  const value = (rows / median(samples.of('csv'))) * 1000;
  return [
    samples.times('import against a bare insert', 'entries', 'bare', { atMost: 2 }),
    samples.times('import from CSV against a bare insert', 'csv', 'bare'),
    { name: 'import from CSV', value, unit: 'rows a CPU second', atLeast: 25_000 },
  ];
}

const bareTable = `
  CREATE TABLE transactions (id INTEGER PRIMARY KEY, book_id INTEGER, date TEXT, amount INTEGER, currency TEXT,
    to_base INTEGER, payee TEXT, original_name TEXT, notes TEXT, category_id INTEGER, manual_account_id INTEGER,
    plaid_account_id INTEGER, external_id TEXT, tag_ids TEXT, status TEXT, is_pending INTEGER,
    is_split_parent INTEGER, split_parent_id INTEGER, is_group_parent INTEGER, group_parent_id INTEGER,
    source TEXT, plaid_metadata TEXT, custom_metadata TEXT, created_at TEXT, updated_at TEXT);
  CREATE INDEX by_date ON transactions (book_id, date, id);
  CREATE INDEX by_account ON transactions (book_id, manual_account_id, date, id);
  CREATE INDEX by_category ON transactions (book_id, category_id, date, id);`;

export class BareTable {
  readonly #database: Database.Database;
  readonly #insert: Database.Statement;
  readonly #names = new Map<string, number>();
  #rows = 0;

  constructor(path: string) {
    this.#database = new Database(path);
    for (const pragma of ['page_size = 16384', 'journal_mode = WAL', 'synchronous = FULL'])
      this.#database.pragma(pragma);
    this.#database.exec(bareTable);
    this.#insert = this.#database.prepare(
      `INSERT INTO transactions VALUES (${Array.from({ length: 25 }, () => '?').join(', ')})`,
    );
  }

  insert(entries: readonly ImportEntry[]): void {
    const idOf = (name: string): number => {
      const id = this.#names.get(name) ?? this.#names.size + 1;
      this.#names.set(name, id);
      return id;
    };
    this.#database.transaction(() => {
      for (const entry of entries) this.#insert.run(bareRow((this.#rows += 1), entry, idOf));
    })();
  }

  close(): void {
    this.#database.close();
  }
}

function bareRow(id: number, entry: ImportEntry, idOf: (name: string) => number): unknown[] {
  const { date, amount, payee, notes } = entry;
  const category = idOf(entry.category ?? '');
  const account = idOf(entry.account ?? '');
  const before = [id, 1, date, -amount, 'usd', -amount, payee, payee, notes, category, account];
  const flags = [null, null, '[]', 'unreviewed', 0, 0, null, 0, null, 'csv', null, null];
  return [...before, ...flags, nowIso, nowIso];
}

export function toCsv(entries: readonly ImportEntry[]): string {
  const lines = entries.map(({ date, amount, payee, notes, category, account }) => {
    const sign = amount < 0 ? '-' : '';
    const digits = String(Math.abs(amount)).padStart(5, '0');
    const decimal = `${sign}${digits.slice(0, -4)}.${digits.slice(-4)}`;
    return `${date},${decimal},"${payee}","${notes ?? ''}",${category ?? ''},${account ?? ''}`;
  });
  return `date,amount,payee,notes,category,account\n${lines.join('\n')}\n`;
}
