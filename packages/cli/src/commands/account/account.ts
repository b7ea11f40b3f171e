import { listSyncedAccounts, mergeAccounts } from '@coffer/server/src/ledger/merge.ts';
import { formatAmount } from '@coffer/core/money';
import {
  archiveAccount,
  listAccounts,
  renameAccount,
} from '@coffer/server/src/ledger/accounts/actions.ts';
import { accountWith, proofOf } from '@coffer/server/src/ledger/accounts/account-proof.ts';
import { proofToWire } from '@coffer/server/src/ledger/accounts/proof-routes.ts';
import type { AccountProof } from '@coffer/server/src/ledger/accounts/proof-schema.ts';
import { maxAccountNameLength } from '@coffer/server/src/operations/limits.ts';
import type { Command } from 'commander';
import { performOnBook, type OnBook } from '../book.ts';
import { choose, readName, addListOption, subcommand } from '../options.ts';
import { writeLine, type CommandContext, type JsonOption } from '../../terminal/context.ts';
import { Failure } from '../../terminal/failure.ts';
import { quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';

interface MergeOptions {
  readonly synced?: true;
  readonly addBalance?: true;
}

/** `coffer account list`, `rename`, `archive`, `merge` and `prove`. */
export function define(account: Command, context: CommandContext): void {
  const list = addListOption(subcommand(account, 'list', 'list the manual accounts of a book'));
  performOnBook(list, context, printAccounts);
  const shown = 'Sets the display name. Imports still find the account by its original name.';
  const rename = subcommand(account, 'rename', 'rename a manual account', shown)
    .argument('<account>', 'id or name of the account')
    .argument('<name>', 'new name, unique among the manual accounts of the book', (text) =>
      readName('The new name', text, maxAccountNameLength),
    );
  performOnBook(rename, context, changeName);
  const closed = 'Its status becomes "closed" as of today, in UTC. Its transactions stay.';
  const archive = subcommand(account, 'archive', 'archive a manual account', closed)
    .argument('<account>', 'id or name of the account')
    .option('--reopen', 'make the account active again');
  performOnBook(archive, context, close);
  const moved = 'Moves the transactions of a manual account, and removes it.';
  const merge = subcommand(account, 'merge', 'merge a manual account into another account', moved)
    .argument('<account>', 'id or name of the account, which is removed')
    .argument('<into>', 'id or name of the account that is kept')
    .option('--synced', 'the account that is kept is a synced account')
    .option('--add-balance', 'add the balance to that of the account that is kept');
  performOnBook(merge, context, mergeInto);
  const compared = 'Compares the balances of statements, users and banks with the transactions.';
  const proof = subcommand(account, 'prove', 'prove the balances of a manual account', compared)
    .argument('<account>', 'id or name of the account')
    .option('--json', 'print the proof as JSON');
  performOnBook(proof, context, proveAccount);
}

/** The exit status is 1 if a balance does not follow from the transactions. */
async function proveAccount(on: OnBook<JsonOption>, which: string): Promise<void> {
  const { database, book, options, context } = on;
  const { id, names } = await chooseAccount(on, which);
  const proof = await database.read(function* () {
    return yield* proofToWire(yield* proofOf(yield* accountWith(book.id, 'manual', id)));
  });
  const sentence = proofSentence(quote(names[0]), proof);
  if (options.json === true) writeLine(context.stdout, JSON.stringify(proof, null, 2));
  else if (proof.state !== 'broken') writeLine(context.stdout, sentence);
  for (const { state, from, to, difference, explanations } of proof.stretches) {
    if (state === 'proved' || options.json === true) continue;
    const reasons = explanations.map(({ kind, transaction_ids: ids }) => [kind, ...ids].join(' '));
    const days = `${from.day} to ${to.day}: ${state}, ${difference}`;
    writeLine(context.stdout, [days, ...reasons].join('; '));
  }
  if (proof.state === 'broken') throw new Failure(sentence);
}

function proofSentence(account: string, proof: AccountProof): string {
  const { state, anchors, proved_until: until, broken_on: day, difference, currency } = proof;
  if (state === 'broken')
    return `The balance of ${account} is wrong from ${day} on, by ${difference} ${currency}`;
  if (state === 'proved') return `The balances of ${account} are proved until ${until}`;
  const known = anchors === 1 ? 'one balance is' : `${anchors} balances are`;
  return `Nothing proves the balance of ${account}: ${known} known`;
}

async function printAccounts({ database, book, options, context }: OnBook<JsonOption>) {
  const accounts = await database.readStatement(() => listAccounts(book.id));
  const records = accounts.map((each) => {
    const { id, name, display_name, type, currency, status, closed_on } = each;
    const balance = formatAmount(each.balance);
    return { id, name, display_name, type, currency, balance, status, closed_on };
  });
  writeList(records, 'There are no manual accounts', options, context);
}

async function changeName(on: OnBook, which: string, name: string): Promise<void> {
  const { id, names } = await chooseAccount(on, which);
  await on.database.write(() => renameAccount(on.book.id, id, name));
  writeLine(on.context.stderr, `Renamed the account ${quote(names[0])} to ${quote(name)}`);
}

async function close(on: OnBook<{ readonly reopen?: true }>, which: string): Promise<void> {
  const isArchived = on.options.reopen !== true;
  const { id, names } = await chooseAccount(on, which);
  await on.database.write(() => archiveAccount(on.book.id, id, isArchived));
  const done = isArchived ? 'Archived' : 'Reopened';
  writeLine(on.context.stderr, `${done} the account ${quote(names[0])}`);
}

async function mergeInto(on: OnBook<MergeOptions>, which: string, into: string): Promise<void> {
  const account = await chooseAccount(on, which);
  const kept = await chooseTarget(on, into);
  const { transactions, balance, currency } = await on.database.write(() =>
    mergeAccounts(on.book.id, account.id, kept.target),
  );
  const moved = `${transactions} ${transactions === 1 ? 'transaction' : 'transactions'}`;
  const names = `${quote(account.names[0])} into ${quote(kept.shown)}`;
  const total = `${formatAmount(balance)} ${currency}`;
  writeLine(on.context.stderr, `Merged the account ${names}: ${moved}. Balance: ${total}`);
}

/** Returns the account to merge into, with its shown name. */
async function chooseTarget(
  { database, book, owner, options }: OnBook<MergeOptions>,
  into: string,
) {
  const { synced, addBalance } = options;
  const add_balance = addBalance === true;
  if (synced === true) {
    const accounts = await database.readStatement(() => listSyncedAccounts(book.id));
    const kept = choose(named(accounts), into, owner, ['synced account', 'synced accounts']);
    return { target: { into_plaid_id: kept.id, add_balance }, shown: kept.names[0] };
  }
  const accounts = await database.readStatement(() => listAccounts(book.id));
  const kept = choose(named(accounts), into, owner, nouns);
  return { target: { into_id: kept.id, add_balance }, shown: kept.names[0] };
}

const nouns = ['manual account', 'manual accounts'] as const;

/** An account with its shown name and its original name. */
type Named<T> = T & { readonly names: readonly [shown: string, original: string] };

function named<T extends { readonly name: string; readonly display_name: string | null }>(
  accounts: readonly T[],
): Named<T>[] {
  return accounts.map((each) => ({ ...each, names: [each.display_name ?? each.name, each.name] }));
}

/** Returns the named manual account. */
async function chooseAccount({ database, book, owner }: OnBook, which: string) {
  const accounts = named(await database.readStatement(() => listAccounts(book.id)));
  return choose(accounts, which, owner, nouns);
}
