import { createToken, listTokens, newToken, revokeToken } from '@coffer/server';
import type { Book, Engine, TokenRecord } from '@coffer/server';
import type { Command } from 'commander';
import { addBookOptions, withBook } from '../../book.ts';
import type { BookOptions } from '../../book.ts';
import { writeLine, writeResult } from '../../context.ts';
import type { CommandContext, JsonOption } from '../../context.ts';
import { Failure, Misuse } from '../../failure.ts';
import { readId, readLabel } from '../../options.ts';
import { quote } from '../../terminal/format.ts';

const dayMs = 86_400_000;
const maxDays = 36_500;

type CreateOptions = BookOptions & { readonly label?: string; readonly expires?: string };
type ListOptions = BookOptions & JsonOption;

/** `coffer token create`, `list` and `revoke`. */
export function define(token: Command, context: CommandContext): void {
  const create = token
    .command('create')
    .summary('make an access token')
    .description('Make an access token for a book and print it, alone. It is not shown again.')
    .option('--label <text>', 'what the token is for')
    .option(
      '--expires <when>',
      'days from now (90d), or the first day on which it is dead, in UTC',
    );
  const list = token
    .command('list')
    .summary('list the access tokens of a book')
    .description('List the access tokens of a book, without their secrets.')
    .option('--json', 'print a line of JSON for each');
  const revoke = token
    .command('revoke')
    .summary('revoke an access token')
    .description('Revoke an access token by the id that "coffer token list" shows, at once.')
    .argument('<id>', 'id of the token');
  for (const command of [create, list, revoke]) addBookOptions(command);
  create.action((options: CreateOptions) => makeToken(options, context));
  list.action((options: ListOptions) => printTokens(options, context));
  revoke.action((id: string, options: BookOptions) => endToken(id, options, context));
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
 * Reads when a token expires: the first instant at which it is refused, ISO 8601 in UTC.
 *
 * `90d` is 90 days of 24 hours from now, 1 to 36,500; `2027-01-31` is the first instant of that day in UTC.
 * Throws {@link Misuse} for anything else and for a day that has begun.
 */
export function readExpiry(text: string, now: Date): string {
  const days = /^([1-9][0-9]{0,4})d$/.exec(text);
  if (days !== null && Number(days[1]) <= maxDays) {
    return new Date(now.getTime() + Number(days[1]) * dayMs).toISOString();
  }
  const instant = readDay(text);
  if (instant === null) {
    throw new Misuse(
      `--expires: ${quote(text)} is neither a number of days (90d) nor a date (2027-01-31)`,
    );
  }
  if (instant <= now.toISOString()) throw new Misuse(`--expires: ${quote(text)} is over already`);
  return instant;
}

/** The first instant of a calendar day in UTC, or null when there is no such day. */
function readDay(text: string): string | null {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return null;
  const day = new Date(`${text}T00:00:00.000Z`);
  // Date reads 31 April as 1 May.
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
  return isDay ? day.toISOString() : null;
}

async function printTokens(options: ListOptions, context: CommandContext): Promise<void> {
  const tokens = await withBook(options, context, (database, { id }) =>
    database.readStatement(() => listTokens(id)),
  );
  const nowIso = context.now().toISOString();
  for (const token of tokens) {
    writeResult(context, options, tokenRecord(token), tokenLine(token, nowIso));
  }
  if (tokens.length === 0) writeLine(context.stderr, 'There are no access tokens');
}

async function endToken(
  idText: string,
  options: BookOptions,
  context: CommandContext,
): Promise<void> {
  const id = readId(idText, 'a token', 'coffer token list');
  await withBook(options, context, async (database, book) => {
    if (await database.write(() => revokeToken(book.id, id))) return;
    throw new Failure(`The book ${quote(book.name)} has no token ${id} that could be revoked`);
  });
  writeLine(context.stderr, `Token ${id} is revoked`);
}

function tokenLine(token: TokenRecord, nowIso: string): string {
  const label = token.label === null ? 'without a label' : quote(token.label);
  const used = token.lastUsedAt === null ? 'never used' : `last used ${token.lastUsedAt}`;
  return `${token.id}: ${label}, created ${token.createdAt}, ${used}, ${stateOf(token, nowIso)}`;
}

function stateOf({ expiresAt, revokedAt }: TokenRecord, nowIso: string): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (expiresAt === null) return 'does not expire';
  return expiresAt > nowIso ? `expires ${expiresAt}` : `expired ${expiresAt}`;
}

function tokenRecord(token: TokenRecord): object {
  return {
    id: token.id,
    label: token.label,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
  };
}

/**
 * Makes an access token for a book and returns its text; the database gets only its hash. `expiresAt` is the first
 * instant at which it is refused, ISO 8601 in UTC, or null.
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
