import type { Engine } from '../db/engine.ts';
import { storeRates } from './currencies/actions.ts';
import type { DayRates, StoredRates } from './currencies/actions.ts';
import { rerateBooks } from './rerate.ts';
import type { RerateOptions, RerateSummary } from './rerate.ts';

/** Rates, and where they come from. */
export interface RatesImport extends RerateOptions {
  /** Of each file; a later one replaces the rates of an earlier one. */
  readonly files: readonly DayRates[];
  readonly source: 'file' | 'url';
}

/** The result of an import of rates. */
export interface RatesSummary extends StoredRates {
  /** Records of all books that have a new value in the primary currency of their book. */
  readonly updated: RerateSummary;
}

/**
 * Stores rates, all or none, and then updates the values of all books. Rates that are known change nothing, but an
 * update that was interrupted continues.
 */
export async function importRates(
  engine: Engine,
  { files, source, ...options }: RatesImport,
): Promise<RatesSummary> {
  const stored = await engine.write(function* () {
    const total = { added: 0, changed: 0, known: 0 };
    for (const rates of files) {
      const { added, changed, known } = yield* storeRates(rates, source);
      total.added += added;
      total.changed += changed;
      total.known += known;
    }
    return total;
  });
  return { ...stored, updated: await rerateBooks(engine, options) };
}
