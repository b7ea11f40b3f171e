import { importEntries } from '@coffer/server/src/imports/import.ts';
import type { DoubtfulEntry, ImportSummary } from '@coffer/server/src/imports/entry.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import { formatAmount } from '@coffer/core/money';
import { count } from '../../terminal/format.ts';
import type { Prompts } from '../../terminal/prompts.ts';

type Plan = Parameters<typeof importEntries>[2];

/** The import has a doubtful row, so it was stopped before it changed anything. */
class Doubt extends Error {
  override readonly name = 'Doubt';
}

/**
 * Imports a file, and asks about each row that the book may have already. Without such rows, the file is read once;
 * else a dry run finds all of them.
 */
export async function importAsking(
  database: Engine,
  bookId: number,
  plan: Plan,
  prompts: Prompts,
): Promise<ImportSummary> {
  try {
    return await importEntries(database, bookId, { ...plan, onVerdict: stopAtDoubt });
  } catch (error) {
    if (!(error instanceof Doubt)) throw error;
  }
  const doubtful: number[] = [];
  const { doubtful: found } = await importEntries(database, bookId, {
    ...plan,
    dryRun: true,
    onDoubt: 'keep',
    onVerdict: ({ number, verdict }) => {
      if (verdict === 'doubtful') doubtful.push(number);
    },
  });
  const skipped = await askEach(prompts, found.entries, doubtful);
  const choices = new Map([...skipped].map((number) => [number, 'skip'] as const));
  return importEntries(database, bookId, { ...plan, onDoubt: 'keep', choices });
}

function stopAtDoubt({ verdict }: { readonly verdict: string }): void {
  if (verdict === 'doubtful') throw new Doubt('A row may be in the book already');
}

type Reply = 'keep' | 'skip' | 'keep all' | 'skip all';

/** Returns the numbers of the rows not to import. Only the first rows are `listed`; one reply is for all others. */
async function askEach(
  prompts: Prompts,
  listed: readonly DoubtfulEntry[],
  all: readonly number[],
): Promise<ReadonlySet<number>> {
  const skipped = new Set<number>();
  const left = new Set(all);
  for (const entry of listed) {
    const reply = await prompts.choose(messageFor(entry), choicesFor(left.size));
    left.delete(entry.number);
    if (reply.startsWith('skip')) skipped.add(entry.number);
    if (reply === 'skip all') return new Set([...skipped, ...left]);
    if (reply === 'keep all') return skipped;
  }
  if (left.size === 0) return skipped;
  const message = `${count(left.size, 'more row')} may be in the book already`;
  const isSkipped = await prompts.choose(message, [
    { value: false, label: 'Import them' },
    { value: true, label: 'Skip them' },
  ]);
  return isSkipped ? new Set([...skipped, ...left]) : skipped;
}

function messageFor({ line, known, knownId, why, ...entry }: DoubtfulEntry): string {
  const row = (each: Pick<DoubtfulEntry, 'date' | 'amount' | 'payee'>) =>
    `${each.date} ${formatAmount(each.amount)} "${each.payee}"`;
  return `Line ${line}: ${row(entry)}\nmay be transaction ${knownId}: ${row(known)} (${why})`;
}

function choicesFor(left: number): { value: Reply; label: string }[] {
  const each = [
    { value: 'skip' as const, label: 'It is the same: skip it' },
    { value: 'keep' as const, label: 'It is another one: import it' },
  ];
  if (left < 2) return each;
  const others = count(left - 1, 'other');
  return [
    ...each,
    { value: 'skip all', label: `Skip it and the ${others}` },
    { value: 'keep all', label: `Import it and the ${others}` },
  ];
}
