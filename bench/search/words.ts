import { join } from 'node:path';
import Database from 'better-sqlite3';
import sql from 'sql-template-tag';
import { foldText } from '../../packages/core/src/fold.ts';
import { rows as rowsOf } from '../../packages/server/src/db/engine.ts';
import { followAll } from '../../packages/server/src/db/follow-search.ts';
import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import { benchEntries, sequence } from '../measure/book.ts';
import { settle } from '../measure/engines.ts';
import { cpuMs, median, percentile, sum } from '../measure/processor-time.ts';
import { startApp } from '../measure/requests.ts';
import { importRows, openBook } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';

const queryCount = 1000;
const seed = 20_261_127;

/** Words of a tenth of the rows and more; the last are in every row. */
const frequent = ['bakery', 'hardware', 'grocer', 'transit', 'bookshop', 'pharm', 'orde', 'paid'];

/** Yields the entries of the bench, each with notes that no other entry has. */
function* differentEntries(count: number): Generator<ImportEntry> {
  let place = 0;
  for (const entry of benchEntries(count)) {
    place += 1;
    const number = (place * 7919) % 10_000_019;
    yield { ...entry, notes: `Order ${number.toString(36)}, paid by card ${place % 977}` };
  }
}

type Kind = 'words' | 'letters' | 'frequent';

interface WordQuery {
  readonly kind: Kind;
  readonly words: readonly string[];
}

/** Returns queries: a tenth with a word of many rows, a tenth with one or two letters, others with words of a row. */
function drawQueries(count: number): WordQuery[] {
  const random = sequence(seed);
  const texts = [...differentEntries(count)].map(({ payee, notes }) =>
    foldText(`${payee} ${notes}`)
      .split(' ')
      .filter((word) => word.length > 2),
  );
  return Array.from({ length: queryCount }, (_, place) => {
    const words = texts[random(count)]!;
    const drawn = Array.from({ length: 1 + random(3) }, () => words[random(words.length)]!);
    if (place % 10 === 0) return { kind: 'frequent', words: [frequent[random(frequent.length)]!] };
    if (place % 10 === 1) return { kind: 'letters', words: [drawn[0]!.slice(0, 1 + random(2))] };
    return { kind: 'words', words: [...new Set(drawn)] };
  });
}

/** What a query took, and how many rows it found. */
interface Measured {
  readonly kind: Kind;
  readonly ms: number;
  readonly hits: number;
}

/**
 * Measures new searches of one to three words in a book in which each text is different, each with its exact total and
 * the first page, in processor time with that of the server of the database. On SQLite also the FTS5 of SQLite with the
 * same rows and queries: the count and the ids of a page. It has no words of less than three letters.
 */
export async function measureWords(
  url: string,
  rows: number,
  { serverPid, folder }: { readonly serverPid: number | null; readonly folder: string },
): Promise<Figure[]> {
  const { engine, book, token } = await openBook(url);
  await importRows(engine, book, differentEntries(rows));
  await settle(url);
  const prefix = `${serverPid === null ? '' : 'PostgreSQL: '}${rows.toLocaleString('en')} different texts: `;
  const followMs = await cpuMs(() => followAll(engine, book.id), serverPid);
  const send = startApp(engine, token);
  const queries = drawQueries(rows);
  console.log(`The words of ${queryCount} searches are drawn with the seed ${seed}`);
  const measured: Measured[] = [];
  for (const [place, { kind, words }] of queries.entries()) {
    let hits = 0;
    // The end of the dates, after all rows, makes each a new search, whose total is not remembered.
    const path = `/coffer/transactions?limit=100&end_date=${3000 + place}-01-01&q=${encodeURIComponent(words.join(' '))}`;
    const ms = await cpuMs(async () => {
      hits = (JSON.parse(await send('GET', path)) as { total: number }).total;
    }, serverPid);
    measured.push({ kind, ms, hits });
  }
  const figures = [
    ...figuresOf(prefix, measured, rows, true),
    {
      name: `${prefix}to write the blocks, each row`,
      value: (followMs * 1000) / rows,
      unit: 'µs',
    },
  ];
  if (serverPid === null) {
    const size = await engine.read(() =>
      rowsOf<{ bytes: number }>(
        sql`SELECT sum(length(block) + length(words)) AS bytes FROM search_blocks`,
      ),
    );
    const name = `${prefix}size of the blocks`;
    figures.push({ name, value: size[0]!.bytes / 1e6, unit: 'MB' });
  }
  await engine.close();
  return serverPid === null
    ? [...figures, ...measureFullText(join(folder, 'fts5.db'), rows, queries, measured)]
    : figures;
}

function figuresOf(
  prefix: string,
  measured: readonly Measured[],
  rows: number,
  hasGoals: boolean,
): Figure[] {
  const isMany = rows >= 1_000_000 && hasGoals;
  const isOfMany = ({ hits }: Measured): boolean => hits >= 0.099 * rows;
  const many = measured.filter(isOfMany);
  const few = measured.filter((each) => !isOfMany(each));
  const ofKind = (kind: Kind): number =>
    median(measured.filter((each) => each.kind === kind).map(({ ms }) => ms));
  return [
    {
      name: `${prefix}95th percentile of fewer hits`,
      value: percentile(
        few.map(({ ms }) => ms),
        0.95,
      ),
      unit: 'ms',
      ...(isMany && { atMost: 100 }),
    },
    {
      name: `${prefix}a hit of a tenth of the rows and more`,
      value: (sum(many.map(({ ms }) => ms)) * 1000) / sum(many.map(({ hits }) => hits)),
      unit: 'µs',
      ...(isMany && { atMost: 0.5 }),
    },
    ...(['words', 'letters', 'frequent'] as const).map((kind) => ({
      name: `${prefix}median of ${kind}`,
      value: ofKind(kind),
      unit: 'ms',
    })),
  ];
}

/** Throws if a query finds another number of rows than in the measured. */
function measureFullText(
  path: string,
  rows: number,
  queries: readonly WordQuery[],
  expected: readonly Measured[],
): Figure[] {
  const database = new Database(path);
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE VIRTUAL TABLE texts USING fts5(text, content = '', tokenize = 'trigram')`);
  const insert = database.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)');
  const cpu = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const startedMs = cpu();
  database.exec('BEGIN');
  let id = 0;
  for (const { payee, notes } of differentEntries(rows)) {
    id += 1;
    insert.run(id, `${foldText(payee)}\n${foldText(notes ?? '')}`);
  }
  database.exec('COMMIT');
  const fillMs = cpu() - startedMs;
  const count = database.prepare('SELECT count(*) FROM texts WHERE texts MATCH ?').pluck();
  const page = database
    .prepare('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT 100')
    .pluck();
  const measured: Measured[] = [];
  for (const [place, { kind, words }] of queries.entries()) {
    if (kind === 'letters') continue;
    const match = words.map((word) => `"${word}"`).join(' AND ');
    const before = cpu();
    const hits = count.get(match) as number;
    page.all(match);
    measured.push({ kind, ms: cpu() - before, hits });
    if (hits !== expected[place]!.hits)
      throw new Error(`${match}: ${hits} rows, but Coffer finds ${expected[place]!.hits}`);
  }
  const pages = database.pragma('page_count', { simple: true }) as number;
  database.close();
  const prefix = `FTS5, ${rows.toLocaleString('en')} different texts: `;
  return [
    ...figuresOf(prefix, measured, rows, false).filter(({ value }) => !Number.isNaN(value)),
    { name: `${prefix}to write, each row`, value: (fillMs * 1000) / rows, unit: 'µs' },
    { name: `${prefix}size`, value: (pages * 4096) / 1e6, unit: 'MB' },
  ];
}
