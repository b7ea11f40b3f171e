import { attemptToWire } from '@coffer/server/src/webhooks/wire.ts';
import { listAttempts, moveCursor, positionIn } from '@coffer/server/src/webhooks/actions.ts';
import { sendAgain, sendPing } from '@coffer/server/src/webhooks/send-once.ts';
import type { WebhookAttempt } from '@coffer/server/src/webhooks/schema.ts';
import type { Command } from 'commander';
import { addBookOptions, withBook } from '../book.ts';
import type { BookOptions } from '../book.ts';
import { writeLine } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import { Failure, Misuse } from '../../terminal/failure.ts';
import { readId } from '../options.ts';
import { addListOption, subcommand } from '../subcommand.ts';
import { count } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { senderOf } from './sender.ts';

type Options = BookOptions & JsonOption;
type RedeliverOptions = BookOptions & Readonly<Partial<Record<'after' | 'attempt', string>>>;

/** Most attempts of a webhook that are kept. */
const mostAttempts = 100;

/** `coffer webhook log`, `ping` and `redeliver`. */
export function defineDeliveries(webhook: Command, context: CommandContext): void {
  const of = (name: string, summary: string, more?: string): Command =>
    subcommand(webhook, name, summary, more).argument('<id>', 'id of the webhook');
  const log = of('log', 'list the last attempts to deliver', 'The latest comes first.');
  addBookOptions(addListOption(log)).action((id: string, options: Options) =>
    printAttempts(read(id), options, context),
  );
  addBookOptions(of('ping', 'send a test message now')).action((id: string, options: BookOptions) =>
    ping(read(id), options, context),
  );
  const redeliver = of('redeliver', 'deliver events again')
    .option('--after <position>', 'all events after a position or a version')
    .option('--attempt <number>', 'the event of one attempt, now and once');
  addBookOptions(redeliver).action((id: string, options: RedeliverOptions) =>
    deliverAgain(read(id), options, context),
  );
}

function read(text: string): number {
  return readId(text, 'a webhook', 'coffer webhook list');
}

async function printAttempts(id: number, options: Options, context: CommandContext): Promise<void> {
  const rows = await withBook(options, context, (database, book) =>
    database.read(() => listAttempts(book.id, id, { limit: mostAttempts })),
  );
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
