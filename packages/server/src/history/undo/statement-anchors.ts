import sql, { join } from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { lineShape, readLater, selectLines, toLogged, type LoggedRecords } from '../../book/log.ts';
import { idsOf, recordKey, type NetRecords, type VersionEffect } from '../../book/net.ts';
import { blocksOf } from '../../db/blocks.ts';
import { dialectOf, type Steps } from '../../db/engine.ts';
import { find, rowAs, rowsAs } from '../../db/rows.ts';
import { integer, nullable, text, type Values } from '../../db/table.ts';
import { balanceAnchors, manualAccounts } from '../../db/tables/tables.ts';
import { followAnchors, type ManualAccount } from '../../ledger/accounts/actions.ts';
import { asAnchored, lastAnchor, type BalanceAnchor } from '../../ledger/accounts/anchors.ts';
import { rowsAfter } from '../earlier-rows.ts';
import { undoneBy } from './undone.ts';

/** A balance that statements of an account have said for a day, and the ids of all anchors that it had. */
interface StatedBalance {
  readonly account: number;
  readonly day: string;
  readonly ids: Set<number>;
}

/** What a version of an import did to the balances of statements, and all else that it did. */
export interface StatedLines {
  readonly stated: readonly StatedBalance[];
  readonly others: readonly NetRecords[];
}

/**
 * Takes the anchors that an import has read in its file out of the lines of a version, which has imported the file,
 * undone that, or redone it. Other imports may have said the same or another balance for their days.
 */
export function* statedIn(
  bookId: number,
  { version, lines }: VersionEffect,
  imported: number,
): Steps<StatedLines> {
  const own = lines.filter(({ record }) => record === balanceAnchors.name);
  const rows = yield* statementsIn(bookId, version, own);
  const stated = new Map<string, StatedBalance>();
  for (const [id, row] of rows) noteId(stated, id, row, true);
  // A redone import may have changed nothing, because a later one says something else.
  if (imported !== version) {
    const first = yield* selectLines(
      sql`book_id = ${bookId} AND version = ${imported} AND record = ${balanceAnchors.name}`,
    );
    for (const [id, row] of yield* statementsIn(bookId, imported, first))
      noteId(stated, id, row, true);
  }
  const others = lines.flatMap((line) => {
    if (line.record !== balanceAnchors.name) return [line];
    const ids = idsOf(line).filter((id) => !rows.has(id));
    return ids.map((id) => ({ ...line, firstId: id, lastId: id }));
  });
  return { stated: [...stated.values()], others };
}

/** Returns the anchors of statements among those of lines, by their ids, as they were after a version or before it. */
function* statementsIn(
  bookId: number,
  version: number,
  lines: readonly Pick<NetRecords, 'kind' | 'firstId' | 'lastId' | 'diff'>[],
): Steps<Map<number, Values>> {
  const rows = new Map<number, Values | null>();
  for (const { kind, firstId, diff } of lines)
    if (kind === 'removed' || kind === 'replaced') rows.set(firstId, diff);
  const rest = lines.flatMap(idsOf).filter((id) => !rows.has(id));
  for (const [id, row] of yield* rowsOf(bookId, version, rest)) rows.set(id, row);
  const found = [...rows].filter(([, row]) => row?.['source'] === 'statement');
  return new Map(found.map(([id, row]) => [id, row!]));
}

function noteId(
  all: Map<string, StatedBalance>,
  id: number,
  { manual_account_id, day }: Values,
  isNew: boolean,
): void {
  const key = `${manual_account_id as number} ${day as string}`;
  const known = all.get(key);
  if (known !== undefined) known.ids.add(id);
  else if (isNew)
    all.set(key, {
      account: manual_account_id as number,
      day: day as string,
      ids: new Set([id]),
    });
}

function* rowsOf(bookId: number, version: number, ids: readonly number[]) {
  const wanted = ids.map((id) => ({ table: balanceAnchors, id, key: { id } }));
  const found = yield* rowsAfter(bookId, version, wanted);
  return new Map(ids.map((id) => [id, found.get(recordKey(balanceAnchors, { id })) ?? null]));
}

/**
 * Sets the balances of statements as they are without a version that is undone: each is what the last import says that
 * is not undone, or what it was before the first change that the log has of it. A user may have forgotten it since.
 *
 * Then accounts get the balances that follow from their anchors, unless a request has set or moved one after the
 * version. Call it after the undo of all else.
 */
export function* restateBalances(
  change: Change,
  version: number,
  stated: readonly StatedBalance[],
): Steps<void> {
  const { bookId } = change;
  const all = yield* withEveryId(bookId, stated);
  for (const [id, some] of Map.groupBy(all, ({ account }) => account)) {
    const account = yield* find(manualAccounts, { book_id: bookId, id });
    // The anchors of an account that is gone go with it.
    if (account === undefined) continue;
    for (const each of some) yield* restate(change, version, each);
    yield* follow(change, version, account);
  }
}

/** Adds the ids of other anchors of these days: one that was removed is made again with another id. */
function* withEveryId(
  bookId: number,
  stated: readonly StatedBalance[],
): Steps<readonly StatedBalance[]> {
  const all = new Map<string, StatedBalance>();
  for (const { account, day, ids } of stated) {
    const own = { manual_account_id: account, day };
    for (const id of ids) noteId(all, id, own, true);
    const source = 'statement' as const;
    const present = yield* find(balanceAnchors, { book_id: bookId, ...own, source });
    if (present !== undefined) noteId(all, present.id, present, true);
  }
  for (const { firstId, diff } of yield* removedAnchors(bookId))
    if (diff?.['source'] === 'statement') noteId(all, firstId, diff, false);
  return [...all.values()];
}

/** Returns the lines of anchors that undos have removed, and users have forgotten. */
function* removedAnchors(bookId: number): Steps<LoggedRecords[]> {
  const { byBytes } = yield* dialectOf();
  const { name } = balanceAnchors;
  // An index has the first line about a table in a version. CROSS JOIN is for SQLite.
  const found = yield* rowsAs(
    lineShape,
    sql`SELECT lines.version, lines.place, lines.record, lines.first_id, lines.last_id, lines.kind, lines.diff
      FROM (SELECT version AS of_version FROM changes WHERE book_id = ${bookId} AND undoes IS NOT NULL
        UNION SELECT version AS of_version FROM changes
          WHERE book_id = ${bookId} AND ${byBytes('operation')} = 'deleteBalanceAnchor') own
      CROSS JOIN changed_records firsts CROSS JOIN changed_records lines
      WHERE firsts.book_id = ${bookId} AND firsts.record = ${name} AND firsts.repeats = 0
        AND firsts.version = of_version
        AND lines.book_id = ${bookId} AND lines.version = of_version AND lines.place >= firsts.place
        AND lines.record = ${name} AND lines.kind = 'removed'`,
  );
  return found.map(toLogged);
}

function* restate(change: Change, version: number, stated: StatedBalance): Steps<void> {
  const { bookId } = change;
  const { account: manual_account_id, day } = stated;
  const own = { book_id: bookId, manual_account_id, day, source: 'statement' } as const;
  const now = yield* find(balanceAnchors, own);
  const wanted = yield* wantedOf(change, version, stated);
  if (wanted === null) {
    if (now !== undefined) yield* change.remove(balanceAnchors, now);
    return;
  }
  const { balance, currency, ahead, import_id, set_at } = wanted;
  const values = { balance, currency, ahead, import_id, set_at };
  if (now !== undefined) yield* change.update(balanceAnchors, now, values);
  else {
    const { id } = wanted;
    const made = { id, manual_account_id, plaid_account_id: null, day, source: 'statement' };
    yield* change.insertAll(balanceAnchors, [{ ...made, ...values } as typeof wanted]);
  }
}

/** Returns what an anchor should be, from the changes of it that are not undone; null if there should be none. */
function* wantedOf(
  { bookId, version: undoing }: Change,
  version: number,
  { ids }: StatedBalance,
): Steps<BalanceAnchor | null> {
  const lines: LoggedRecords[] = [];
  for (const id of ids) {
    const range = { record: balanceAnchors.name, firstId: id, lastId: id };
    for (const line of yield* readLater(bookId, range, 0, true))
      if (line.version !== undoing) lines.push({ ...line, firstId: id, lastId: id });
  }
  const ordered = lines.toSorted((a, b) => a.version - b.version || a.place - b.place);
  const roots = yield* rootsAmong(bookId, [...new Set(lines.map((line) => line.version))]);
  const undone = yield* undoneBy(bookId, roots, { version: undoing, undoes: version });
  const kept = new Set(roots.filter((each) => !undone.has(each)));
  const last = ordered.findLast((line) => kept.has(line.version));
  if (last !== undefined)
    return last.kind === 'removed' ? null : yield* anchorAfter(bookId, last.version, last.firstId);
  const [first] = ordered;
  if (first === undefined || first.kind === 'made') return null;
  return yield* anchorAfter(bookId, first.version - 1, first.firstId);
}

function* anchorAfter(bookId: number, version: number, id: number): Steps<BalanceAnchor | null> {
  const row = (yield* rowsOf(bookId, version, [id])).get(id) ?? null;
  return row === null ? null : ({ ...row, id } as BalanceAnchor);
}

/** Returns those of some versions that are no undos, or undo what the log no longer has. */
function* rootsAmong(bookId: number, versions: readonly number[]): Steps<number[]> {
  const roots: number[] = [];
  for (const block of blocksOf(versions)) {
    const found = yield* rowsAs(
      { version: integer, of: nullable(integer) },
      sql`SELECT own.version, undone.version AS of FROM changes own
        LEFT JOIN changes undone ON undone.book_id = ${bookId} AND undone.version = own.undoes
        WHERE own.book_id = ${bookId} AND own.version IN (${join(block)}) ORDER BY own.version`,
    );
    for (const { version, of } of found) if (of === null) roots.push(version);
  }
  return roots;
}

/** Gives an account the balance that follows from its anchors, or from its transactions if it has none any more. */
function* follow(change: Change, version: number, account: ManualAccount): Steps<void> {
  const last = yield* lastAnchor(asAnchored(account));
  const undone = yield* rowAs(
    { at: text },
    sql`SELECT at FROM changes WHERE book_id = ${change.bookId} AND version = ${version}`,
  );
  const isMoved = last?.source === 'api' && last.set_at >= undone!.at;
  if (!isMoved) yield* followAnchors(change, account.id, { orRows: true });
}
