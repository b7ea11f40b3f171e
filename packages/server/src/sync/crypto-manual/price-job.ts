import sql from 'sql-template-tag';
import { changing, NoSuchBookError } from '../../book/change.ts';
import type { AssetSource } from '../prices/asset-source.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Job } from '../../book/job.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';
import { rememberPrices } from '../prices/actions.ts';
import { revalueManualCrypto } from './actions.ts';

/** Each run is a version of every book with a manual balance, so not too often. */
const everyMs = 6 * 3_600_000;
/** Ids in one request: enough for few requests, and a URL that every proxy accepts. */
const idsAtOnce = 100;

/**
 * Returns the job that reads the prices of all held assets and gives manual balances their new values.
 *
 * Held are assets of manual balances and of synced ones, each in the primary currency of its book. `run` rejects with
 * the first failure of the price source, after everything else is done.
 */
export function cryptoPriceJob(source: AssetSource): Job {
  return {
    name: 'crypto prices',
    everyMs,
    run: async (engine, _nowMs, signal) => {
      const held = Map.groupBy(await engine.read(heldAssets), ({ currency }) => currency);
      const failures: unknown[] = [];
      for (const [currency, assets] of held) {
        const ids = assets.map(({ coingecko_id }) => coingecko_id);
        await readPrices({ engine, source, currency, ids, signal }).catch((error: unknown) =>
          failures.push(error),
        );
      }
      for (const { book_id } of await engine.read(booksWithManualCrypto))
        if (!signal.aborted) await revalue(engine, book_id);
      if (failures.length > 0) throw failures[0];
    },
  };
}

interface PriceRun {
  readonly engine: Engine;
  readonly source: AssetSource;
  readonly currency: string;
  readonly ids: readonly string[];
  readonly signal: AbortSignal;
}

async function readPrices({ engine, source, currency, ids, signal }: PriceRun): Promise<void> {
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const prices = await source.prices(ids.slice(at, at + idsAtOnce), currency, signal);
    for (const block of blocksOf(prices)) await engine.write(() => rememberPrices(currency, block));
  }
}

function heldAssets(): Steps<{ readonly coingecko_id: string; readonly currency: string }[]> {
  return rowsAs(
    { coingecko_id: text, currency: text },
    sql`SELECT m.coingecko_id, b.primary_currency AS currency
        FROM crypto_manual_accounts m JOIN books b ON b.id = m.book_id
      UNION SELECT s.coingecko_id, b.primary_currency
        FROM crypto_synced_balances s JOIN books b ON b.id = s.book_id WHERE s.coingecko_id IS NOT NULL
      ORDER BY currency, coingecko_id`,
  );
}

/** Returns whether any book has an asset that could have a price. */
export function* holdsCrypto(): Steps<boolean> {
  const found = yield* rowsAs(
    { one: integer },
    sql`SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM crypto_manual_accounts)
      OR EXISTS (SELECT 1 FROM crypto_synced_balances WHERE coingecko_id IS NOT NULL)`,
  );
  return found.length > 0;
}

function booksWithManualCrypto(): Steps<{ readonly book_id: number }[]> {
  return rowsAs(
    { book_id: integer },
    sql`SELECT DISTINCT book_id FROM crypto_manual_accounts ORDER BY book_id`,
  );
}

async function revalue(engine: Engine, bookId: number): Promise<void> {
  const cause = { bookId, actor: 'connector', operation: 'crypto prices' };
  try {
    await engine.write(() => changing(cause, revalueManualCrypto));
  } catch (error) {
    // The book was deleted meanwhile.
    if (!(error instanceof NoSuchBookError)) throw error;
  }
}
