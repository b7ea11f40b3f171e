import type { Workspace } from '../measure/workspace.ts';

/** A transaction as Coffer's list has it. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: number };

const limit = 1000;

/** Reads all transactions of the book from Coffer, in the order of its list. */
export async function readRows({ token }: Workspace, port: number, count: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (let offset = 0; offset < count; offset += limit) {
    const url = `http://127.0.0.1:${port}/v2/transactions?limit=${limit}&offset=${offset}`;
    const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    const { transactions } = (await response.json()) as { transactions: Row[] };
    rows.push(...transactions);
  }
  return rows;
}
