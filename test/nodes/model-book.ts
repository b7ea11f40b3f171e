import { importEntries } from '../../packages/server/src/main.ts';
import { addOwner, useStore, type Owner } from '../../prove/run/book.ts';

/** A row as the wire tells of it, as far as it is compared. */
interface ModelRow {
  readonly date: string;
  readonly payee: string;
  readonly amount: string;
}

/** A book that nobody writes to, and what each page of it must be. */
export interface ModelBook {
  readonly owner: Owner;
  readonly rowCount: number;
  /** What is wrong with the text of a page; undefined when it is the model's. */
  fault(text: string, limit: number, offset: number): string | undefined;
}

/** Makes the book in a database. Its rows lie on few days, so that their order is by id for the most part. */
export async function makeModelBook(database: string, rowCount: number): Promise<ModelBook> {
  const rows = Array.from({ length: rowCount }, (_, n): ModelRow => {
    const day = String(1 + ((n * 7) % 25)).padStart(2, '0');
    return { date: `2025-03-${day}`, payee: `Row ${n}`, amount: `${n % 90}.${1000 + (n % 9000)}` };
  });
  const owner = await useStore(database, async (engine) => {
    const made = await addOwner(engine, 'reader');
    const entries = rows.map(({ date, payee, amount }, n) => ({
      line: n + 1,
      date,
      // The wire says what was spent as a positive amount, a statement as a negative one.
      amount: -Number(amount.replace('.', '')),
      currency: null,
      payee,
      notes: null,
      category: null,
      account: null,
      externalId: null,
    }));
    const plan = { entries: () => entries, defaultAccount: null, dryRun: false };
    await importEntries(engine, made.bookId, plan);
    return made;
  });
  // Newest first, and of one day the one that came last.
  const sorted = rows
    .map((row, place) => ({ row, place }))
    .toSorted((a, b) => b.row.date.localeCompare(a.row.date) || b.place - a.place)
    .map(({ row }) => row);
  return { owner, rowCount, fault: (...page) => faultOf(sorted, ...page) };
}

function faultOf(
  sorted: readonly ModelRow[],
  text: string,
  limit: number,
  offset: number,
): string | undefined {
  const page = JSON.parse(text) as { transactions: ModelRow[]; has_more: boolean };
  const found = page.transactions.map(({ date, payee, amount }) => ({ date, payee, amount }));
  const expected = sorted.slice(offset, offset + limit);
  const isSame =
    JSON.stringify(found) === JSON.stringify(expected) &&
    page.has_more === offset + limit < sorted.length;
  return isSame ? undefined : `limit ${limit}, offset ${offset}: ${text.slice(0, 200)}`;
}
