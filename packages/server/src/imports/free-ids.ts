import type { Steps } from '../db/engine.ts';
import { isOfBankId, plainId, sharedId, sharedIdBounds } from './bank-ids.ts';
import type { Candidate } from './candidate.ts';
import type { KnownRow } from './forms.ts';
import { IdLines } from './id-lines.ts';
import type { KnownRows } from './known-rows.ts';

/** Reads the rows that a book has under the ids of a bank, and chooses free ids for new transactions. */
export class FreeIds {
  readonly #known: KnownRows;
  /** The line on which the file first used an id, by account. */
  readonly #lines = new Map<number | null, IdLines>();
  /** Ids that entries got because their own were in use. */
  readonly #given = new Set<string>();

  constructor(known: KnownRows) {
    this.#known = known;
  }

  /** Notes an id of the file. Returns the line that first used it; undefined if this is the first. */
  use(externalId: string, accountId: number | null, line: number): number | undefined {
    let lines = this.#lines.get(accountId);
    if (lines === undefined) {
      lines = new IdLines();
      this.#lines.set(accountId, lines);
    }
    return lines.add(externalId, line);
  }

  /** Sets the rows that the accounts had before this import under the bank's ids of entries. */
  *findRows(candidates: readonly Candidate[]): Steps<void> {
    const withIds = candidates.filter(
      ({ bankId, account }) => bankId !== null && account?.isEarlier !== false,
    );
    for (const [accountId, all] of Map.groupBy(withIds, ({ account }) => account?.id ?? null)) {
      const rows = yield* this.#known.withIds(accountId, wantedIds(all));
      const byId = indexOf(rows);
      for (const each of all) each.ofId = rowsOf(each, byId);
    }
  }

  /** Returns the id for a new entry: its own, if it is free. */
  *newId(candidate: Candidate): Steps<string> {
    const { entry, bankId, account } = candidate;
    const externalId = candidate.externalId!;
    if (candidate.ofId === null) yield* this.findRows([candidate]);
    // The id of a transaction that is deleted, or in another account, is free.
    const here = candidate.ofId?.filter(({ edit }) => edit?.now !== null);
    const taken = new Set(here?.map((row) => row.externalId));
    const accountId = account?.id ?? null;
    const isGiven = (id: string): boolean => this.#given.has(keyOf(id, accountId));
    if (!taken.has(externalId) && !isGiven(externalId)) return externalId;
    for (let { nth } = bankId!; ; nth += 1) {
      const id = sharedId({ ...bankId!, nth }, entry);
      const key = keyOf(id, accountId);
      if (taken.has(id) || isGiven(id) || this.#lines.get(accountId)?.has(id) === true) continue;
      this.#given.add(key);
      return id;
    }
  }
}

/** Ids that may belong to the bank's ids. If shared ids are too long to be parsed, the entry's own is computed. */
function wantedIds(all: readonly Candidate[]) {
  const ids = new Set<string>();
  const ranges: (readonly [above: string, below: string])[] = [];
  for (const { bankId, entry } of all) {
    ids.add(plainId(bankId!));
    const bounds = sharedIdBounds(bankId!);
    if (bounds === null) ids.add(sharedId(bankId!, entry));
    else ranges.push(bounds);
  }
  return { ids: [...ids], ranges };
}

/** The rows by their ids without what we append, which comes after `~` or `#`. */
function indexOf(rows: readonly KnownRow[]): ReadonlyMap<string, KnownRow[]> {
  const index = new Map<string, KnownRow[]>();
  for (const row of rows)
    for (const { externalId } of [row, ...row.forms]) {
      if (externalId === null) continue;
      for (const key of new Set([externalId, externalId.replace(/~[^~]*$/, '')])) {
        const known = index.get(key);
        if (known === undefined) index.set(key, [row]);
        else if (!known.includes(row)) known.push(row);
      }
    }
  return index;
}

function rowsOf(
  { bankId, entry }: Candidate,
  index: ReadonlyMap<string, KnownRow[]>,
): readonly KnownRow[] {
  const keys = [plainId(bankId!), bankId!.id];
  if (sharedIdBounds(bankId!) === null) keys.push(sharedId(bankId!, entry));
  const found = new Set(keys.flatMap((key) => index.get(key) ?? []));
  if (found.size === 0) return none;
  return [...found].filter((row) =>
    [row, ...row.forms].some(
      ({ externalId }) => externalId !== null && isOfBankId(externalId, bankId!, entry),
    ),
  );
}

const none: readonly KnownRow[] = [];

function keyOf(id: string, accountId: number | null): string {
  return `${accountId ?? ''} ${id}`;
}
