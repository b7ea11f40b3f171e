import type { TokenRecord } from '@coffer/server';
import type { Command } from 'commander';
import { readExpiry } from './expiry.ts';
import { Failure, Misuse } from './failure.ts';
import { addBookOptions, findBook } from './find-book.ts';
import type { BookOptions } from './find-book.ts';
import { mintToken } from './mint-token.ts';
import { addDatabaseOption, withExistingStore } from './open-database.ts';
import type { DatabaseOptions } from './open-database.ts';
import { quote } from './printable.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

type TokenOptions = DatabaseOptions & BookOptions;
type CreateOptions = TokenOptions & { readonly label?: string; readonly expires?: string };
type ListOptions = TokenOptions & { readonly json?: true };

const maxLabelLength = 100;

/** `coffer token create`, `list` and `revoke`. */
export function defineToken(token: Command, surroundings: Surroundings): void {
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
  for (const command of [create, list, revoke]) addDatabaseOption(addBookOptions(command));
  create.action((options: CreateOptions) => createToken(options, surroundings));
  list.action((options: ListOptions) => listTokens(options, surroundings));
  revoke.action((id: string, options: TokenOptions) => revokeToken(id, options, surroundings));
}

async function createToken(options: CreateOptions, surroundings: Surroundings): Promise<void> {
  const now = surroundings.now();
  const label = readLabel(options.label);
  const expiresAt = options.expires === undefined ? null : readExpiry(options.expires, now);
  const text = await withExistingStore(options, surroundings, async (store) => {
    const book = await findBook(store, options);
    return mintToken(store, book, { label, expiresAt, now });
  });
  writeLine(surroundings.stdout, text);
}

async function listTokens(options: ListOptions, surroundings: Surroundings): Promise<void> {
  const tokens = await withExistingStore(options, surroundings, async (store) =>
    store.listTokens((await findBook(store, options)).id),
  );
  const nowIso = surroundings.now().toISOString();
  const print =
    options.json === true ? tokenJson : (token: TokenRecord) => tokenLine(token, nowIso);
  for (const token of tokens) writeLine(surroundings.stdout, print(token));
  if (tokens.length === 0) writeLine(surroundings.stderr, 'There are no access tokens');
}

async function revokeToken(
  idText: string,
  options: TokenOptions,
  surroundings: Surroundings,
): Promise<void> {
  if (!/^[1-9][0-9]{0,15}$/.test(idText)) {
    throw new Misuse(`${quote(idText)} is not the id of a token: "coffer token list" shows them`);
  }
  const nowIso = surroundings.now().toISOString();
  await withExistingStore(options, surroundings, async (store) => {
    const book = await findBook(store, options);
    if (await store.revokeToken(book.id, Number(idText), nowIso)) return;
    throw new Failure(`The book ${quote(book.name)} has no token ${idText} that could be revoked`);
  });
  writeLine(surroundings.stderr, `Token ${idText} is revoked`);
}

function readLabel(text: string | undefined): string | null {
  const label = text?.trim() ?? '';
  if ([...label].length > maxLabelLength || /\p{Cc}/u.test(label)) {
    throw new Misuse(`--label: at most ${maxLabelLength} characters on one line are taken`);
  }
  return label === '' ? null : label;
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

function tokenJson(token: TokenRecord): string {
  return JSON.stringify({
    id: token.id,
    label: token.label,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
  });
}
