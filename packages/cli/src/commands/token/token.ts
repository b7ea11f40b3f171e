import { isCalendarDate } from '@coffer/core/dates';
import {
  renameToken,
  createToken,
  listTokens,
  revokeToken,
  newToken,
} from '@coffer/server/src/identity/users/actions.ts';
import type { TokenRecord } from '@coffer/server/src/identity/users/actions.ts';
import type { Book } from '@coffer/server/src/operations/caller.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { Command } from 'commander';
import { addBookOptions, performOnBook, withBook, type BookOptions, type OnBook } from '../book.ts';
import { choose, readLabel, addListOption, subcommand, perform } from '../options.ts';
import { writeLine, type CommandContext, type JsonOption } from '../../terminal/context.ts';
import { Failure, Misuse } from '../../terminal/failure.ts';
import { quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';

const dayMs = 86_400_000;
const maxDays = 36_500;

type CreateOptions = BookOptions & { readonly label?: string; readonly expires?: string };

/** `coffer token create`, `list`, `revoke` and `rename`. */
export function define(token: Command, context: CommandContext): void {
  const once = 'Prints the token and nothing else. It is not shown again.';
  const create = subcommand(token, 'create', 'create an access token for a book', once)
    .option('--label <text>', 'what the token is for')
    .option(
      '--expires <when>',
      'number of days (90d), or the first day on which it is invalid, in UTC',
    );
  perform(addBookOptions(create), context, makeToken);
  const list = subcommand(token, 'list', 'list the access tokens of a book');
  performOnBook(addListOption(list), context, printTokens);
  const rename = subcommand(token, 'rename', 'change the label of an access token')
    .argument('<token>', 'id or label of the token')
    .argument('<label>', 'new label; an empty one removes it', (text) =>
      readLabel('The new label', text),
    );
  performOnBook(rename, context, changeLabel);
  const revoke = subcommand(token, 'revoke', 'revoke an access token, at once');
  revoke.argument('<token>', 'id or label of the token');
  performOnBook(revoke, context, endToken);
}

async function makeToken(options: CreateOptions, context: CommandContext): Promise<void> {
  const label = readLabel('--label', options.label);
  const { expires } = options;
  const expiresAt = expires === undefined ? null : readExpiry(expires, context.now());
  const text = await withBook(options, context, (database, book) =>
    mintToken(database, book, label, expiresAt),
  );
  writeLine(context.stdout, text);
}

/**
 * Reads when a token expires. Returns the first instant at which it is invalid: ISO 8601 in UTC.
 *
 * `90d` is 90 days of 24 hours from now, 1 to 36,500. `2027-01-31` is the first instant of that day in UTC.
 * Throws {@link Misuse} for any other text, and for a day that has already started.
 */
export function readExpiry(text: string, now: Date): string {
  const days = /^([1-9][0-9]{0,4})d$/.exec(text);
  if (days !== null && Number(days[1]) <= maxDays) {
    return new Date(now.getTime() + Number(days[1]) * dayMs).toISOString();
  }
  if (!isCalendarDate(text)) {
    throw new Misuse(
      `--expires: ${quote(text)} is not valid. Use a number of days such as 90d, or a date such as 2027-01-31`,
    );
  }
  const instant = `${text}T00:00:00.000Z`;
  if (instant <= now.toISOString())
    throw new Misuse(`--expires: ${quote(text)} is not in the future`);
  return instant;
}

async function printTokens({ database, book, options, context }: OnBook<JsonOption>) {
  const tokens = await database.readStatement(() => listTokens(book.id));
  const nowIso = context.now().toISOString();
  const records = tokens.map((token) => {
    const { id, label, created_at, last_used_at, expires_at, revoked_at } = token;
    const status = statusOf(token, nowIso);
    return { id, label, status, created_at, last_used_at, expires_at, revoked_at };
  });
  const keys = ['id', 'label', 'status', 'created_at', 'last_used_at', 'expires_at'] as const;
  writeList(records, 'There are no access tokens', options, context, keys);
}

function statusOf({ revoked_at, expires_at }: TokenRecord, nowIso: string): string {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= nowIso ? 'expired' : 'valid';
}

async function endToken(on: OnBook, which: string): Promise<void> {
  const id = await chooseToken(on, which);
  if (!(await on.database.write(() => revokeToken(on.book.id, id))))
    throw new Failure(`Token ${id} was already revoked`);
  writeLine(on.context.stderr, `Revoked token ${id}`);
}

async function changeLabel(on: OnBook, which: string, label: string | null): Promise<void> {
  const id = await chooseToken(on, which);
  await on.database.write(() => renameToken(on.book.id, id, label));
  const to = label === null ? 'no label' : `the label ${quote(label)}`;
  writeLine(on.context.stderr, `Token ${id} now has ${to}`);
}

/** Returns the id of the token with that id or label. */
async function chooseToken({ database, book, owner }: OnBook, which: string): Promise<number> {
  const tokens = await database.readStatement(() => listTokens(book.id));
  const choices = tokens.map(({ id, label }) => ({ id, names: [label] }));
  return choose(choices, which, owner, ['access token', 'access tokens']).id;
}

/**
 * Creates an access token for a book and returns its text. The database stores only its hash. `expiresAt` is the first
 * instant at which it is invalid, ISO 8601 in UTC, or null.
 */
export async function mintToken(
  database: Engine,
  { userId, id: bookId }: Book,
  label: string | null,
  expiresAt: string | null = null,
): Promise<string> {
  const { text, hash } = newToken();
  await database.write(() => createToken({ userId, bookId, hash, label, expiresAt }));
  return text;
}
