import { parseAmount } from '@coffer/core/money';
import type { ComparedFile } from '@coffer/server/src/imports/compare.ts';
import type { UnstatedAccount } from '@coffer/server/src/imports/statement-balances.ts';
import { Failure } from '../../terminal/failure.ts';
import { count, quote } from '../../terminal/format.ts';
import type { Prompts } from '../../terminal/prompts.ts';
import { noAmount, openingBalanceOf } from './options.ts';
import type { Import } from './read-file.ts';

/** Accounts that a user is asked about; those of a longer list have no opening balance. */
const mostAsked = 10;

/**
 * Returns what new accounts had before their first entries, by their names in the file: by `--opening-balance`, or by
 * asking at a terminal. Accounts whose balance the file states are none of them.
 *
 * Throws a {@link Failure} if the flag is given and there is not exactly one such account.
 */
export async function openingsFor(
  path: string,
  { balances: { unstated } }: ComparedFile,
  { options, prompts }: Import,
): Promise<ReadonlyMap<string, number>> {
  const given = openingBalanceOf(options);
  if (given !== null) return new Map([[onlyOne(path, unstated).name, given]]);
  const openings = new Map<string, number>();
  if (prompts === null || options.dryRun === true || unstated.length > mostAsked) return openings;
  for (const each of unstated) {
    const balance = await askOpening(prompts, each);
    if (balance !== null) openings.set(each.name, balance);
  }
  return openings;
}

function onlyOne(path: string, unstated: readonly UnstatedAccount[]): UnstatedAccount {
  const [only, ...others] = unstated;
  if (only !== undefined && others.length === 0) return only;
  const accounts = count(unstated.length, 'new account');
  throw new Failure(
    `${quote(path)} has ${accounts} without a balance, but --opening-balance is for exactly one`,
  );
}

/** Asks what an account had at the end of a day; null if that is not known. */
async function askOpening(
  prompts: Prompts,
  { account: { name, currency }, day }: UnstatedAccount,
): Promise<number | null> {
  const of = `What did ${quote(name)} have at the end of ${day}, in ${currency}?`;
  const typed = await prompts.type(`${of} Nothing: not known`, (text) =>
    text === '' || parseAmount(text) !== null ? null : `This ${noAmount}`,
  );
  return typed === '' ? null : parseAmount(typed);
}
