/*
 * Runs the sessions in `packages/server/sessions/`: requests of a client, and the whole responses.
 *
 * A line `# Title` begins a test with the books of {@link makeTestApp}; `## Title` one with the records of
 * {@link makeWriteClient} too. The steps above the first title begin each test. A request is a line such as
 * `PUT /v2/tags/1 {"name":"x"}`; `ben GET …` is one of another user. Below it are the status, the operations that
 * changed the book, each as one version, and the body. `@` begins what no request does: see {@link others}. `<x*9>` is
 * a text that is repeated. A request that is refused must change nothing, and every response must fit the document of
 * the API that Coffer is compatible with. Titles say what is promised, so read what a commit changes below them.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { expectPrinted, runSessions } from '../../core/src/testing/sessions.ts';
import { changing } from './book/change.ts';
import { undo } from './book/undo.ts';
import type { NewRow } from './db/table.ts';
import { plaidAccounts } from './db/tables/tables.ts';
import { bookClient, type BookClient } from './http/testing/book-client.ts';
import { makeTestApp } from './http/testing/test-app.ts';
import { makeWriteClient, type WriteClient } from './ledger/transactions/testing/write-client.ts';

const starts = /^(?=(?:##? |@ |(?:ben )?(?:GET|POST|PUT|DELETE) ))/m;
const repeated = /<([^<>*]+)\*(\d+)>/g;

const whole = (text: string): string =>
  text.replaceAll(repeated, (_, part: string, times: string) => part.repeat(Number(times)));
const short = (text: string): string =>
  text.replaceAll(/([^ ])\1{39,}/g, (all, part: string) => `<${part}*${all.length}>`);

/** What errors of the schema have besides their text and their place. */
const ofSchema = ['schemaPath', 'keyword', 'params'];

/** JSON with the objects of lists in lines of their own. */
function shown(body: unknown): string {
  if (Array.isArray(body) && typeof body[0] === 'object')
    return `[\n${body.map((each) => JSON.stringify(each, withoutSchema)).join(',\n')}]`;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return JSON.stringify(body);
  const parts = Object.entries(body).map(([key, value]) => `"${key}":${inner(value)}`);
  return `{${parts.join(',')}}`;
}

function withoutSchema(key: string, value: unknown): unknown {
  return ofSchema.includes(key) ? undefined : value;
}

function inner(value: unknown): string {
  return Array.isArray(value) && typeof value[0] === 'object'
    ? shown(value)
    : JSON.stringify(value);
}

/** What no request does: time that passes, an undo of the last change, and columns and records of other ways. */
const others: Readonly<Record<string, (client: WriteClient, ...words: string[]) => unknown>> = {
  advance: ({ made }, ms) => made.clock.advance(Number(ms)),
  undo: ({ change }) => change((each) => undo(each, each.version - 1)),
  mark: ({ mark }, id, columns) => mark([Number(id), JSON.parse(columns) as object]),
  add: ({ add }, rows) => add(...(JSON.parse(rows) as object[])),
  attach: ({ attach }, id) => attach(Number(id)),
  synced: ({ change }, row) =>
    change((each) => each.insert(plaidAccounts, JSON.parse(row) as NewRow<typeof plaidAccounts>)),
};

interface Clients {
  readonly ada: WriteClient;
  readonly ben: BookClient;
}

async function printed({ ada, ben }: Clients, line: string): Promise<string[]> {
  const [, name, method = '', path = '', body] = /^(ben )?(\S+) (\S+)(?: (.*))?$/.exec(line)!;
  if (method === '@') {
    const [, ...words] = /^@ \S+ ?(\d*) ?(.*)$/.exec(line)!;
    await others[path]!(ada, ...words.filter((word) => word !== ''));
    await ada.changes();
    return [];
  }
  const client = name === undefined ? ada : ben;
  const payload = body === undefined ? undefined : (JSON.parse(whole(body)) as unknown);
  const { status, body: sent } = await client.send<unknown>(method, whole(path), payload);
  const changes = await client.changes();
  if (method === 'GET' || status >= 400) assert.deepEqual(changes, [], line);
  const words = [status, ...changes, ...(sent === null ? [] : [shown(sent)])];
  return short(words.join(' ')).split('\n');
}

async function clientsOf(kind: string): Promise<Clients> {
  if (kind === '##') {
    const ada = await makeWriteClient();
    return { ada, ben: bookClient(ada.made, ada.made.ben) };
  }
  const made = await makeTestApp();
  const ada = bookClient(made, made.ada);
  const { id: bookId } = made.ada.identity.book;
  const cause = { bookId, actor: 'test', operation: 'test' };
  return {
    ada: {
      ...ada,
      made,
      change: (work) => made.engine.write(() => changing(cause, work)),
    } as WriteClient,
    ben: bookClient(made, made.ben),
  };
}

runSessions(join(import.meta.dirname, '../sessions'), starts, async ([title, ...steps]) => {
  const clients = await clientsOf(title!.kind);
  for (const step of steps) expectPrinted(step, await printed(clients, step.line));
});
