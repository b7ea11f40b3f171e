/*
 * Reads a packed file as `coffer import` does, and prints the count and the sum of the entries of each account, and the
 * largest memory of the process.
 */
import { openStatementFile } from '../../packages/cli/src/commands/import/statement-file.ts';
import { readStatement } from '../../packages/statements/src/read-statement.ts';

const { stderr, argv, stdout } = process;
const context = { stderr, isTerminal: false, now: () => new Date() };
const file = await openStatementFile(argv[2]!, context);
const totals = new Map<string, { count: number; sum: bigint }>();
const statement = readStatement(file.source(() => undefined));
for (const { account, amount } of statement.entries()) {
  const { count, sum } = totals.get(account ?? '') ?? { count: 0, sum: 0n };
  totals.set(account ?? '', { count: count + 1, sum: sum + BigInt(amount) });
}
file.close();
const lines = [...totals].map(([account, { count, sum }]) => `${account} ${count} ${sum}`);
stdout.write(JSON.stringify({ lines, kib: process.resourceUsage().maxRSS }));
