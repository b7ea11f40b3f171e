import { WithSessionCookie } from '../../wire/responses.ts';

/**
 * Returns the ids in what an operation returned: its own, that of an undo or a session, of its transactions or entries,
 * or of deleted accounts.
 */
export function idsIn(result: unknown): number[] {
  // v1 returns ids alone.
  if (typeof result === 'number') return [result];
  const body = result instanceof WithSessionCookie ? (result.body as unknown) : result;
  const isPieces = Array.isArray(body) && body[0] instanceof Uint8Array;
  const {
    id,
    category_id,
    ids = [],
    version,
    undoes,
    session,
    transactions,
    balances,
    balance_history,
  } = (isPieces ? JSON.parse(Buffer.concat(body as Uint8Array[]).toString()) : (body ?? {})) as {
    readonly id?: number;
    readonly category_id?: number;
    readonly ids?: readonly number[];
    readonly version?: number;
    readonly undoes?: number;
    readonly session?: { readonly id: number };
    readonly transactions?: readonly { id?: number }[] | number;
    readonly balances?: readonly { id?: number }[];
    readonly balance_history?: readonly { source: { deleted_account_id?: number } }[];
  };
  // Other bodies have a number of transactions.
  const rows = typeof transactions === 'number' ? undefined : transactions;
  const listed: readonly { id?: number }[] = rows ?? balances ?? [];
  const deleted = (balance_history ?? []).map(({ source }) => source.deleted_account_id);
  const undo = undoes === undefined ? undefined : version;
  return [
    id ?? category_id,
    ...ids,
    undo,
    session?.id,
    ...listed.map((each) => each.id),
    ...deleted,
  ].filter((each) => each !== undefined);
}
