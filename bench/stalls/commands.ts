import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDemoBook } from '../../packages/server/src/demo/book/make-demo-book.ts';
import { coffer } from '../measure/command.ts';
import type { Group } from './requests.ts';

/** Returns the commands that run on the database of the server, which they do not share a process with. */
export function commandsOf(url: string, folder: string, removed: string): readonly Group[] {
  const of = (...args: string[]) => coffer(...args, '--database', url);
  return [
    { 'coffer doctor': () => of('doctor', '--files', join(folder, 'files')) },
    { 'coffer rates import': () => of('rates', 'import', writeRates(folder)) },
    { 'coffer user remove': () => of('user', 'remove', '--yes', '--email', removed) },
  ];
}

/** Writes other rates for every day that the demo book has rates for, so that all foreign values change. */
function writeRates(folder: string): string {
  const byDate = new Map<string, Map<string, string>>();
  for (const { date, currency, per_eur } of makeDemoBook({ transactions: 100 }).rates ?? []) {
    const ofDay = byDate.get(date) ?? new Map<string, string>();
    byDate.set(date, ofDay.set(currency, (Number(per_eur) * 1.01).toFixed(4)));
  }
  const currencies = [...new Set([...byDate.values()].flatMap((each) => [...each.keys()]))];
  const lines = [...byDate].map(([date, of]) =>
    [date, ...currencies.map((each) => of.get(each) ?? 'N/A')].join(','),
  );
  const path = join(folder, 'rates.csv');
  writeFileSync(path, `Date,${currencies.join(',').toUpperCase()}\n${lines.join('\n')}\n`);
  return path;
}
