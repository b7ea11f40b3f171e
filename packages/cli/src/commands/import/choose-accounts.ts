import type { ImportSettings } from '@coffer/server/src/imports/memory.ts';
import { nameKey, printable } from '@coffer/core/text';
import {
  AccountNamesError,
  namesAccounts,
  planAccounts,
  whatWins,
} from '@coffer/server/src/imports/account-plan.ts';
import type { AccountNames, AccountPlan } from '@coffer/server/src/imports/account-plan.ts';
import { listAccounts } from '@coffer/server/src/ledger/accounts/actions.ts';
import { maxAccountNameLength } from '@coffer/server/src/operations/limits.ts';
import { namesWithMemory } from '@coffer/server/src/imports/memory.ts';
import type { Statement } from '@coffer/statements/src/statement/statement.ts';
import { writeLine } from '../../terminal/context.ts';
import { Failure } from '../../terminal/failure.ts';
import { count, quote } from '../../terminal/format.ts';
import type { PromptChoice, Prompts } from '../../terminal/prompts.ts';
import { accountNamesOf } from './options.ts';
import type { Import, ReadFile } from './read-file.ts';

/** The accounts for a file, and what the user chose for them. */
export interface ChosenAccounts extends AccountPlan {
  readonly chosen: ImportSettings;
  /** Whether rows may have no account of which nothing was said yet: the first rows of a long file have one. */
  readonly isUnchecked?: boolean;
}

/** Of a long file that names accounts, only so many rows are read an additional time. */
const mostLookedAt = 20_000;

/**
 * Chooses the accounts before any row is imported: by `--account`, by what is remembered, or by asking for the account
 * of rows without one. Says what wins where both a flag and the file name accounts.
 */
export async function chooseAccounts(
  path: string,
  { statement, remembered }: ReadFile,
  job: Import,
): Promise<ChosenAccounts> {
  const { options, context } = job;
  const isOwn = namesAccounts(statement);
  const names = accountNamesOf(options);
  const known = isOwn ? undefined : remembered.account;
  const withMemory = namesWithMemory(statement, names, remembered);
  const plan = planned(path, statement, withMemory);
  const won = whatWins(statement, names, '--account');
  if (won !== null) writeLine(context.stderr, `${printable(path)}: ${won}`);
  if (plan.defaultAccount !== null || known === null) return { ...plan, chosen: {} };
  const rows = rowsWithoutAccount(statement);
  if (rows === 0) return { ...plan, chosen: {}, isUnchecked: statement.entryCount > mostLookedAt };
  if (options.yes === true) return { ...plan, chosen: {}, isUnchecked: true };
  if (job.prompts === null || options.dryRun === true) {
    writeLine(context.stderr, hint(path, rows, isOwn));
    return { ...plan, chosen: {} };
  }
  const account = await askAccount(job.prompts, job, `${subject(path, rows)}. Import them into`);
  return { ...planned(path, statement, { ...withMemory, rest: account }), chosen: { account } };
}

function planned(path: string, statement: Statement, names: AccountNames): AccountPlan {
  try {
    return planAccounts(statement, names, { file: quote(path), option: '--account' });
  } catch (error) {
    if (error instanceof AccountNamesError) throw new Failure(error.message);
    throw error;
  }
}

/** Counts the entries without an account; 0 for a long file if none of its first entries is without one. */
function rowsWithoutAccount(statement: Statement): number {
  const { mapping, accounts, entryCount } = statement;
  if (mapping !== undefined && !namesAccounts(statement)) return entryCount;
  if (accounts.reduce((sum, each) => sum + each.entryCount, 0) === entryCount) return 0;
  let rows = 0;
  let read = 0;
  for (const { account } of statement.entries()) {
    if (account === null) rows += 1;
    read += 1;
    if (read === mostLookedAt && rows === 0) return 0;
  }
  return rows;
}

/** Returns the hint about rows without an account, with the flag for a file in which others have one. */
export function hint(file: string, rows: number, isMixed: boolean): string {
  const flag = isMixed ? "--account '=NAME'" : '--account NAME';
  return `${subject(file, rows)}. Use ${flag} to import such rows into an account`;
}

function subject(file: string, rows: number): string {
  return `${count(rows, 'row')} of ${quote(file)} ${rows === 1 ? 'has' : 'have'} no account`;
}

/** Asks for an account of the book, or for the name of a new one; null for none. */
async function askAccount(
  prompts: Prompts,
  { database, bookId }: Import,
  message: string,
): Promise<string | null> {
  const accounts = await database.readStatement(() => listAccounts(bookId));
  const open = accounts.filter(({ status }) => status !== 'closed');
  const choice = await prompts.choose<{ name: string } | 'new' | 'none'>(message, [
    ...open.map((each): PromptChoice<{ name: string }> => {
      const label = each.display_name ?? each.name;
      return { value: { name: each.name }, label, hint: each.currency };
    }),
    { value: 'new', label: 'A new account' },
    { value: 'none', label: 'No account' },
  ]);
  if (choice === 'none') return null;
  if (choice !== 'new') return choice.name;
  const taken = new Set(accounts.map(({ name }) => nameKey(name)));
  return prompts.type('Name of the new account', (name) => nameFault(name, taken));
}

function nameFault(name: string, taken: ReadonlySet<string>): string | null {
  const { length } = [...name];
  if (length === 0 || length > maxAccountNameLength || /\p{Cc}/u.test(name))
    return `Use 1 to ${maxAccountNameLength} characters`;
  return taken.has(nameKey(name)) ? 'The book has an account with this name' : null;
}
