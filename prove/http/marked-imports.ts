import { importEntries, type Engine } from '../../packages/server/src/main.ts';
import { ask } from '../../test/service/ask.ts';
import type { Owner } from '../../test/service/owners.ts';

/** More than there are places that use one up. */
const count = 20;

/** The ids of imports; those of the second list are undone, those of the third have not happened. */
export interface MarkedImports {
  readonly import: readonly number[];
  readonly undoneImport: readonly number[];
  readonly preview: readonly number[];
}

/** Imports files of one transaction each, with the mark in every text, and undoes half of the imports. */
export async function addImports(
  engine: Engine,
  url: string,
  { token, bookId }: Owner,
  mark: string,
): Promise<MarkedImports> {
  const ids: number[] = [];
  for (let n = 0; n < 2 * count; n += 1) ids.push(await importOne(engine, bookId, `${mark} ${n}`));
  const undoneImport = ids.slice(count);
  for (const id of undoneImport) {
    const { status, text } = await ask(`${url}/coffer/imports/${id}/undo`, {
      method: 'POST',
      token,
    });
    if (status !== 200) throw new Error(`The undo of import ${id} returned ${status}: ${text}`);
  }
  const preview: number[] = [];
  // A book may have no more.
  for (let n = 0; n < count; n += 1) {
    const body = `Date,Payee,Amount\n2024-01-16,${mark} preview ${n},-1\n`;
    const sent = await ask(`${url}/coffer/imports`, { method: 'POST', token, body });
    if (sent.status !== 201) throw new Error(`The file was refused: ${sent.text}`);
    preview.push((JSON.parse(sent.text) as { id: number }).id);
  }
  return { import: ids.slice(0, count), undoneImport, preview };
}

async function importOne(engine: Engine, bookId: number, mark: string): Promise<number> {
  const entry = {
    ...{ line: 1, date: '2024-01-15', amount: -10_000, currency: null, payee: mark, notes: mark },
    ...{ category: null, account: `Imported ${mark}`, externalId: null },
  };
  const file = { name: `${mark}.csv`, hash: '00' };
  const plan = { entries: () => [entry], defaultAccount: null, dryRun: false, format: 'csv', file };
  const { importId } = await importEntries(engine, bookId, plan);
  return importId!;
}
