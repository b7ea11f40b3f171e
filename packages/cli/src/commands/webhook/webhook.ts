import {
  sendAgain,
  sendPing,
  rotateWebhook,
  createWebhook,
  shown as shownWebhook,
  listWebhooks,
  moveCursor,
  positionIn,
  removeWebhook,
  updateWebhook,
  listAttempts,
} from '@coffer/server/src/webhooks/actions.ts';
import { webhookToWire, attemptToWire, webhookOf } from '@coffer/server/src/webhooks/stored.ts';
import { changeKinds } from '@coffer/server/src/webhooks/rules.ts';
import {
  recordNames as webhookRecords,
  type NewWebhook,
  type WebhookAttempt,
} from '@coffer/server/src/webhooks/schema.ts';
import type { Command } from 'commander';
import { addBookOptions, performOnBook, withBook, type BookOptions, type OnBook } from '../book.ts';
import {
  writeLine,
  writeResult,
  type CommandContext,
  type JsonOption,
} from '../../terminal/context.ts';
import { Misuse, Failure } from '../../terminal/failure.ts';
import { collect, readId, readLabel, addListOption, subcommand, perform } from '../options.ts';
import { quote, count } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import {
  createWebhookSender,
  type WebhookSender,
} from '@coffer/server/src/webhooks/webhook-sender.ts';
import { readPrivateTargets, readSealingKey } from '../environment.ts';

type Options = BookOptions & JsonOption;
type AddOptions = Options &
  Readonly<Partial<Record<'description' | 'after', string>>> & {
    readonly record?: readonly string[];
    readonly kind?: readonly string[];
  };

/** `coffer webhook add`, `list`, `show`, `enable`, `disable`, `rotate`, `remove`, and those of deliveries. */
export function define(webhook: Command, context: CommandContext): void {
  defineAdd(webhook, context);
  const list = addListOption(subcommand(webhook, 'list', 'list the webhooks of a book'));
  performOnBook(list, context, printWebhooks);
  const of = (name: string, summary: string, more?: string): Command =>
    subcommand(webhook, name, summary, more).argument('<id>', 'id of the webhook', (text) =>
      readId(text, 'a webhook', 'coffer webhook list'),
    );
  performOnBook(addListOption(of('show', 'show a webhook')), context, printWebhook);
  const enable = of(
    'enable',
    'enable a webhook',
    'It continues where it was disabled, or after the given position.',
  ).option('--after <position>', 'a position, a version, or latest');
  performOnBook(enable, context, enableOne);
  performOnBook(of('disable', 'disable a webhook'), context, disableOne);
  const both = 'Messages have the signatures of both secrets for a time.';
  const rotate = of('rotate', 'replace the secret of a webhook', both)
    .option('--keep-hours <number>', 'how long the old secret signs too', '24')
    .option('--json', 'print the result as a line of JSON');
  perform(addBookOptions(rotate), context, rotateOne);
  performOnBook(of('remove', 'remove a webhook with its log'), context, removeOne);
  const log = of('log', 'list the last attempts to deliver', 'The latest comes first.');
  performOnBook(addListOption(log), context, printAttempts);
  perform(addBookOptions(of('ping', 'send a test message now')), context, ping);
  const redeliver = of('redeliver', 'deliver events again')
    .option('--after <position>', 'all events after a position or a version')
    .option('--attempt <number>', 'the event of one attempt, now and once');
  perform(addBookOptions(redeliver), context, deliverAgain);
}

function defineAdd(webhook: Command, context: CommandContext): void {
  const add = subcommand(
    webhook,
    'add',
    'add a webhook',
    'Changes of the book are sent to it, signed with a secret that is printed once. ENCRYPTION_KEY seals the secret.',
  )
    .argument('<url>', 'where changes are sent')
    .option('--description <text>', 'a note')
    .option('--record <record>', 'only changes of these records; can be repeated', collect)
    .option('--kind <kind>', 'only changes that are made, changed or removed; repeated', collect)
    .option('--after <position>', 'a position or a version; default: latest')
    .option('--json', 'print the result as a line of JSON');
  perform(addBookOptions(add), context, addOne);
}

async function addOne(url: string, options: AddOptions, context: CommandContext): Promise<void> {
  const { record, kind, after = 'latest' } = options;
  const records = readWords('records', record, webhookRecords);
  const kinds = readWords('changes', kind, changeKinds);
  const description = readLabel('--description', options.description);
  const sender = senderOf(context);
  await withBook(options, context, async (database, { id: bookId, name }) => {
    const webhook = { bookId, actor: 'command', url, description, records, kinds, after };
    const made = await createWebhook(database, sender, webhook);
    writeSecret(made, `Added the webhook ${made.id} to the book ${quote(name)}`, options, context);
  });
}

/** Returns words of a list, null for none. Throws {@link Misuse} for another word. */
function readWords<const W extends string>(
  what: string,
  given: readonly string[] | undefined,
  known: readonly W[],
): readonly W[] | null {
  const unknown = given?.find((word) => !known.some((each) => each === word));
  if (unknown === undefined) return (given as readonly W[] | undefined) ?? null;
  throw new Misuse(`There are no ${what} ${quote(unknown)}. Use ${known.join(', ')}`);
}

function writeSecret(
  webhook: NewWebhook,
  done: string,
  options: JsonOption,
  context: CommandContext,
): void {
  if (options.json !== true) writeLine(context.stderr, `${done}. Its secret is not shown again:`);
  writeResult(context, options, webhook, webhook.secret);
}

async function printWebhooks({ database, book, options, context }: OnBook<JsonOption>) {
  const rows = await database.readStatement(() => listWebhooks(book.id));
  const all = rows.map((row) => webhookToWire(row, context.now().getTime()));
  const keys = ['id', 'url', 'description', 'status', 'failures', 'delivered_at'];
  writeList(all, 'There are no webhooks', options, context, keys);
}

async function printWebhook(on: OnBook<JsonOption>, id: number): Promise<void> {
  const { database, book, options, context } = on;
  const webhook = await database.read(() => shownWebhook(webhookOf(book.id, id)));
  const { disabled, ...rest } = webhook;
  const reason = disabled === null ? [] : [`disabled: ${disabled.message}, at ${disabled.at}`];
  const lines = Object.entries(rest).map(
    ([name, value]) => `${name.replaceAll('_', ' ')}: ${lineOf(value)}`,
  );
  writeResult(context, options, webhook, [...lines, ...reason].join('\n'));
}

function lineOf(value: string | number | readonly string[] | null): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '-');
}

async function enableOne(on: OnBook<{ readonly after?: string }>, id: number): Promise<void> {
  const { book, options, context } = on;
  await on.database.write(function* () {
    if (options.after !== undefined)
      yield* moveCursor(book.id, id, yield* positionIn(book.id, options.after));
    yield* updateWebhook(book.id, id, { enabled: true });
  });
  writeLine(context.stderr, `Enabled the webhook ${id}`);
}

async function disableOne({ database, book, context }: OnBook, id: number): Promise<void> {
  await database.write(() => updateWebhook(book.id, id, { enabled: false }));
  writeLine(context.stderr, `Disabled the webhook ${id}`);
}

async function rotateOne(
  id: number,
  options: Options & { readonly keepHours: string },
  context: CommandContext,
): Promise<void> {
  if (!/^\d{1,3}$/.test(options.keepHours) || Number(options.keepHours) > 168)
    throw new Misuse(`--keep-hours: ${quote(options.keepHours)} is not a number from 0 to 168`);
  const sender = senderOf(context);
  await withBook(options, context, async (database, book) => {
    const key = { bookId: book.id, id };
    const rotated = await rotateWebhook(database, sender, key, Number(options.keepHours));
    const { old_secret_until: until } = rotated;
    const old = until === null ? '' : `; the old one signs until ${until}`;
    writeSecret(rotated, `Replaced the secret of the webhook ${id}${old}`, options, context);
  });
}

async function removeOne({ database, book, context }: OnBook, id: number): Promise<void> {
  await database.write(() => removeWebhook(book.id, id));
  writeLine(context.stderr, `Removed the webhook ${id}`);
}

type RedeliverOptions = BookOptions & Readonly<Partial<Record<'after' | 'attempt', string>>>;

/** Most attempts of a webhook that are kept. */
const mostAttempts = 100;

async function printAttempts(on: OnBook<JsonOption>, id: number): Promise<void> {
  const { database, book, options, context } = on;
  const rows = await database.read(() => listAttempts(book.id, id, { limit: mostAttempts }));
  const keys = ['number', 'at', 'kind', 'status', 'duration_ms', 'changes', 'error'];
  writeList(rows.map(attemptToWire), 'There were no attempts', options, context, keys);
}

async function ping(id: number, options: BookOptions, context: CommandContext): Promise<void> {
  const sender = senderOf(context);
  await withBook(options, context, async (database, book) => {
    const attempt = await sendPing(database, sender, { bookId: book.id, id });
    report(attemptToWire(attempt), 'a test message', context);
  });
}

async function deliverAgain(
  id: number,
  { after, attempt, ...options }: RedeliverOptions,
  context: CommandContext,
): Promise<void> {
  if ((after === undefined) === (attempt === undefined))
    throw new Misuse('Either --after or --attempt is required');
  await withBook(options, context, async (database, { id: bookId }) => {
    if (attempt !== undefined) {
      const number = readId(attempt, 'an attempt', `coffer webhook log ${id}`);
      const sent = await sendAgain(database, senderOf(context), { bookId, id }, number);
      report(attemptToWire(sent), `an event of ${count(sent.changes, 'change')}`, context);
      return;
    }
    await database.write(function* () {
      yield* moveCursor(bookId, id, yield* positionIn(bookId, after!));
    });
    writeLine(context.stderr, `The webhook ${id} gets the events after ${after!} again`);
  });
}

/** Throws a {@link Failure} if the message was not delivered. */
function report(
  { delivered, error, status, duration_ms }: WebhookAttempt,
  what: string,
  { stderr }: CommandContext,
): void {
  if (!delivered) throw new Failure(`Not delivered: ${what}. ${error}`);
  writeLine(stderr, `Delivered: ${what} (status ${status}, ${duration_ms} ms)`);
}

/** Returns a sender with the settings of the environment. Throws Misuse if one is missing or invalid. */
function senderOf(context: CommandContext): WebhookSender {
  return createWebhookSender({
    encryptionKey: readSealingKey(context.environment),
    privateTargets: readPrivateTargets(context),
  });
}
