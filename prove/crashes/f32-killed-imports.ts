import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { coffer, cofferPrints, whose } from '../../test/service/coffer.ts';
import { addOwner, inFolder, useStore } from '../../test/service/owners.ts';
import { differences, digest, killBetween, lastingColumns } from '../database/killed-commands.ts';
import { named, type Check } from '../run/check.ts';
import { onEachEngine } from '../run/engines.ts';

const rowCount = 3_000;
/** Of the first rows, which the book has before the import, without ids. */
const earlierRows = 600;
const killsOfPair = 10;

export const check: Check = {
  id: 'F32',
  needs: ['postgres'],
  rounds: { short: 2, full: 100 },
  run: async (rounds) => {
    const { imports, undos, left } = await inFolder((folder) => killBoth(folder, rounds));
    const pairs = Math.ceil(rounds / killsOfPair);
    const doubled = await onEachEngine(async (engine, database) =>
      named(engine, await importTwice(database, pairs)),
    );
    const figure =
      `${rounds} kills of an import of ${rowCount} rows: ${imports.before} absent, ${imports.after} complete; ` +
      `${rounds} kills of its undo: ${undos.before} absent, ${undos.after} complete; ` +
      `${pairs} times two imports of one file at once on each engine: ${doubled.flat().length} doubled or lost`;
    return {
      figure,
      problems: [...imports.problems, ...undos.problems, ...left, ...doubled.flat()],
    };
  },
};

async function killBoth(folder: string, kills: number) {
  const [before, imported, undone] = ['before', 'imported', 'undone'].map((name) =>
    join(folder, `${name}.db`),
  );
  const owner = await useStore(before!, (store) => addOwner(store, 'owner'));
  const earlier = writeMonths(folder, 'earlier.csv', earlierRows, false);
  const file = writeMonths(folder, 'months.csv', rowCount, true);
  await cofferPrints('import', earlier, ...whose(owner, before!));
  const kill = async (
    name: string,
    [from, to]: readonly [string, string],
    ...words: readonly string[]
  ) => {
    const args = (path: string): string[] => [...words, ...whose(owner, path)];
    copyFileSync(from, to);
    await cofferPrints(...args(to));
    const columns = lastingColumns(to);
    const states = { columns, before: digest(from, columns), after: digest(to, columns) };
    return killBetween({ name, folder, before: from, args, between: [0.3, 1.7] }, kills, states);
  };
  const imports = await kill('import', [before!, imported!], 'import', file);
  const undos = await kill('undo', [imported!, undone!], 'imports', 'undo', '2');
  return { imports, undos, left: undoneProblems(before!, undone!) };
}

const records = 'transactions manual_accounts categories tags account_numbers import_forms';

/** An undo leaves the records that were there before the import, except for the log, versions and imports. */
function undoneProblems(before: string, undone: string): string[] {
  const all = Object.entries(lastingColumns(before));
  const columns = Object.fromEntries(all.filter(([table]) => records.split(' ').includes(table)));
  return named('after the undo', differences(digest(before, columns), digest(undone, columns)));
}

async function importTwice(database: string, times: number): Promise<string[]> {
  return inFolder(async (folder) => {
    const problems: string[] = [];
    for (let n = 1; n <= times; n += 1) {
      const owner = await useStore(database, (store) => addOwner(store, `owner ${n}`));
      const file = writeMonths(folder, `${n}.csv`, earlierRows, n % 2 === 0);
      const args = ['import', file, '--json', ...whose(owner, database)];
      const both = await Promise.all([coffer(...args), coffer(...args)]);
      const imported = both.map(({ stdout }) => Number(/"imported":(\d+)/.exec(stdout)?.[1]));
      const exported = await cofferPrints('export', ...whose(owner, database));
      const rows = exported.split('\n').length - 2;
      const isOnce = imported.toSorted((a, b) => a - b).join() === `0,${earlierRows}`;
      if (rows !== earlierRows || !isOnce)
        problems.push(
          `pair ${n}: imported ${imported.join(' and ')}, ${rows} rows; ${both.map(({ stderr }) => stderr).join()}`,
        );
    }
    return problems;
  });
}

function writeMonths(folder: string, name: string, rows: number, hasIds: boolean): string {
  const lines = Array.from({ length: rows }, (_, n) => {
    const date = new Date(Date.UTC(2024, 0, 1 + Math.floor(n / 10))).toISOString().slice(0, 10);
    const id = hasIds ? `,ID-${n}` : '';
    return `${date},-${1 + (n % 90)}.50,Shop ${n % 17},${n % 3 === 0 ? 'Card' : 'Checking'},Category ${n % 5}${id}`;
  });
  const path = join(folder, name);
  const header = `Date,Amount,Payee,Account,Category${hasIds ? ',External ID' : ''}`;
  writeFileSync(path, `${header}\n${lines.join('\n')}\n`);
  return path;
}
