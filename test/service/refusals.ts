import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import sql from 'sql-template-tag';
import { changing } from '../../packages/server/src/book/change.ts';
import { run } from '../../packages/server/src/db/engine.ts';
import { find } from '../../packages/server/src/db/rows.ts';
import { transactions } from '../../packages/server/src/db/tables/tables.ts';
import { newFile } from '../../packages/server/src/operations/testing/special-requests.ts';
import { goodRequest, missingId, newUser, recordsOf } from './good-requests.ts';
import type { Answer } from './http-exchange.ts';
import { idOf, newName, post, withBody, addImport, pruneAll } from './json-requests.ts';
import type { Service } from './started-service.ts';

type Ask = (service: Service) => Promise<Answer>;

const imports = '/coffer/imports';
const day = '2026-01-05';

function ask(method: string, target: string, body?: unknown): Ask {
  const asking = body === undefined ? { method } : withBody(method, body);
  return (service) => service.ask(target, asking);
}

function upload(service: Service, body: Buffer, type = ['Content-Type', 'text/csv']) {
  return service.ask(imports, { method: 'POST', headers: type, body });
}

/** Sends a packed file, which is always read in the background. Returns the path of its preview. */
async function sendPacked(service: Service, file = newFile(newName())): Promise<string> {
  return `${imports}/${idOf(await upload(service, gzipSync(file)))}`;
}

async function settled(service: Service, target: string): Promise<void> {
  for (;;) {
    const { preview, work } = JSON.parse((await service.ask(target)).text) as {
      preview: { status: string } | null;
      work: { is_under_way: boolean } | null;
    };
    if (work?.is_under_way !== true && !/reading|committing/.test(preview?.status ?? '')) return;
  }
}

/** Another node is reading the file of a preview. */
async function readElsewhere({ engine, ada, now }: Service, target: string): Promise<void> {
  const id = Number(target.split('/').at(-1));
  await engine.write(() =>
    run(sql`UPDATE import_previews SET status = 'reading', worker_until_ms = ${now() + 60_000}
      WHERE book_id = ${ada.bookId} AND import_id = ${id}`),
  );
}

/** Imports more rows than are undone at once. Returns the path of the import. */
async function addLargeImport({ engine, ada }: Service): Promise<string> {
  return `${imports}/${await addImport(engine, ada, { rows: 2001 })}`;
}

function askPruned(id: string, body: object, isOfUrl = false): Ask {
  return async (service) => {
    const as = await newUser(service);
    const { target, asking } = await goodRequest(service, id, as);
    // An enabled one may deliver the next change before that is pruned.
    if (id === 'updateWebhook') await service.ask(target, withBody('PUT', { enabled: false }, as));
    const made = isOfUrl ? (JSON.parse(String(asking.body)) as object) : {};
    await recordsOf(service, as).own('tag');
    await pruneAll(service.engine, as);
    return service.ask(target, withBody(asking.method, { ...made, ...body }, as));
  };
}

function removeNamed(noun: 'tags' | 'categories', wanted: string): Ask {
  return async (service) => {
    const { text } = await service.ask(`/v2/${noun}`);
    const records = JSON.parse(text) as Record<string, { id: number; name: string }[]>;
    const { id } = records[noun]!.find(({ name }) => name === wanted)!;
    return service.ask(`/v2/${noun}/${id}`, { method: 'DELETE' });
  };
}

async function changedSince(service: Service): Promise<number> {
  const id = await recordsOf(service).own('transaction');
  const { text } = await service.ask(`/coffer/transactions/${id}/history`);
  const { history } = JSON.parse(text) as { history: { version: number }[] };
  const cause = { bookId: service.ada.bookId, actor: 'command', operation: 'test' };
  await service.engine.write(() =>
    changing(cause, function* (change) {
      const found = yield* find(transactions, { book_id: change.bookId, id });
      yield* change.update(transactions, found!, { notes: 'n' });
    }),
  );
  return history[0]!.version;
}

/** Sends a change of many transactions as it was previewed for an empty book. */
function askOutdated(id: string): Ask {
  return async (service) => {
    const { target, asking } = await goodRequest(service, id);
    const body = JSON.parse(String(asking.body)) as object;
    return service.ask(target, { ...asking, body: JSON.stringify({ ...body, version: 0 }) });
  };
}

/** Makes an account whose balance is proved over a transaction. Returns both. */
async function addProved(service: Service): Promise<{ account: number; row: number }> {
  const named = { name: newName(), type: 'cash', currency: 'eur', balance: 0 };
  const account = await post(service, '/v2/manual_accounts', named);
  const row = { date: '2026-01-12', amount: 10, currency: 'eur', manual_account_id: account };
  const made = await service.ask('/v2/transactions', withBody('POST', { transactions: [row] }));
  for (const [day, balance] of [
    ['2025-12-31', 50],
    ['2026-01-31', 40],
  ])
    await post(service, `/coffer/accounts/${account}/anchors`, { day, balance });
  const { transactions: all } = JSON.parse(made.text) as { transactions: { id: number }[] };
  return { account, row: all[0]!.id };
}

async function editProved(service: Service): Promise<Answer> {
  const { row } = await addProved(service);
  const transactions = [{ id: row, amount: 11 }];
  return service.ask('/coffer/transactions', withBody('PUT', { transactions }));
}

async function mergeProved(service: Service): Promise<Answer> {
  const { account } = await addProved(service);
  const body = { into_id: await recordsOf(service).own('manual') };
  return service.ask(`/coffer/manual_accounts/${account}/merge`, withBody('POST', body));
}

function deleteProved(path: string): Ask {
  return async (service) => {
    const { account } = await addProved(service);
    const target = `${path}?manual_account_id=${account}`;
    return service.ask(target, withBody('POST', { delete: true }));
  };
}

const coingecko = 'https://www.coingecko.com/en/coins';
const badRow = { transactions: [{}] };

/** How to get statuses that operations have for their own reasons, by operation and status. */
export const ownStatuses: Readonly<Record<string, Ask>> = {
  // A packed file is always read in the background.
  'previewImport 202': (service) => upload(service, gzipSync(newFile(newName()))),
  'previewImport 413': (service) => upload(service, Buffer.alloc(50 * 2 ** 20 + 200_000)),
  'previewImport 415': (service) => upload(service, newFile('x'), ['Content-Encoding', 'gzip']),
  'commitImport 202': async (service) => {
    const target = await sendPacked(service);
    await settled(service, target);
    // It is read again.
    return service.ask(`${target}/commit`, withBody('POST', { negate: false }));
  },
  'discardImport 409': async (service) => {
    const target = await sendPacked(service);
    await settled(service, target);
    await readElsewhere(service, target);
    return service.ask(target, { method: 'DELETE' });
  },
  'undoImport 202': async (service) =>
    service.ask(`${await addLargeImport(service)}/undo`, { method: 'POST' }),
  'redoImport 202': async (service) => {
    const target = await addLargeImport(service);
    await service.ask(`${target}/undo`, { method: 'POST' });
    await settled(service, target);
    return service.ask(`${target}/redo`, { method: 'POST' });
  },
  'undoChange 202': async (service) => {
    const { text } = await service.ask(await addLargeImport(service));
    const { version } = JSON.parse(text) as { version: number };
    return service.ask(`/coffer/history/${version}/undo`, { method: 'POST' });
  },
  'undoLastChange 202': async (service) => {
    const rows = Array.from({ length: 2100 }, (_, at) => `2026-01-09,${newName()} ${at},-1\n`);
    const target = await sendPacked(service, Buffer.from(`Date,Payee,Amount\n${rows.join('')}`));
    await settled(service, target);
    await service.ask(`${target}/commit`, { method: 'POST' });
    await settled(service, target);
    return service.ask('/coffer/undo', { method: 'POST' });
  },
  'undoLastChange 404': async (service) =>
    service.ask('/coffer/undo', { method: 'POST', as: await newUser(service) }),
  'getChanges 410': ask('GET', `/coffer/changes?after=${'a'.repeat(32)}.1.2.0.0`),
  'createWebhook 410': askPruned('createWebhook', { after: '1' }, true),
  'updateWebhook 410': askPruned('updateWebhook', { enabled: true }),
  'redeliverWebhook 410': askPruned('redeliverWebhook', { after: '1' }),
  'previewBulkChange 409': askOutdated('previewBulkChange'),
  'changeTransactionsInBulk 409': askOutdated('changeTransactionsInBulk'),
  'previewCurrencyChange 409': askOutdated('previewCurrencyChange'),
  'changePrimaryCurrency 409': askOutdated('changePrimaryCurrency'),
  'updateBook 409': async (service) => {
    await recordsOf(service).own('manual');
    const { target, asking } = await goodRequest(service, 'updateBook');
    return service.ask(target, { ...asking, body: '{"primary_currency":"chf"}' });
  },
  'editTransactions 409': editProved,
  'mergeManualAccount 409': mergeProved,
  'deleteTag 422': removeNamed('tags', 'holiday'),
  'deleteCategory 422': removeNamed('categories', 'Home'),
  'deleteCryptoManual 422': async (service) => {
    const id = await recordsOf(service).own('cryptoManual');
    const balances = [{ month: '2025-12', balance: '5', crypto_balance: '1' }];
    const target = `/v2/balance_history/crypto_manual/${id}`;
    assert.equal((await service.ask(target, withBody('PUT', { balances }))).status, 200);
    return service.ask(`/v2/crypto/manual/${id}`, { method: 'DELETE' });
  },
  'deleteRecurringItem 422': async (service) => {
    const id = await recordsOf(service).own('recurring');
    const row = { date: day, amount: '9.99', payee: newName(), recurring_id: id };
    await service.ask('/v2/transactions', withBody('POST', { transactions: [row] }));
    return service.ask(`/coffer/recurring_items/${id}`, { method: 'DELETE' });
  },
  'createCryptocurrency 422': ask('POST', '/v2/cryptocurrencies', {
    coingecko_url: `${coingecko}/bitcoin`,
  }),
  'getAllTransactionsV1 404': ask('GET', `/v1/transactions?start_date=${day}`),
  'createNewTransactionsV1 204': async (service) => {
    const { target, asking } = await goodRequest(service, 'createNewTransactionsV1');
    await service.ask(target, asking);
    return service.ask(target, asking);
  },
  'createNewTransactionsV1 404': ask('POST', '/v1/transactions', badRow),
  'groupTransactionsV1 404': ask('POST', '/v1/transactions/group', { transactions: [1] }),
  'getRecurringItemsV1 404': ask('GET', '/v1/recurring_items?start_date=soon'),
  'getRecurringExpensesV1 404': ask('GET', '/v1/recurring_expenses?start_date=soon'),
};

/** How to get refusals that the documents show, where those above are not enough, by their place and name. */
export const ownExamples: Readonly<Record<string, Ask>> = {
  'commitImport 409 changed': async (service) => {
    const file = Buffer.from(`Date,Payee,Amount\n2026-01-31,${newName()},-98.76\n`);
    const targets: string[] = [];
    for (let n = 0; n < 2; n += 1)
      targets.push(`${imports}/${idOf(await upload(service, file))}/commit`);
    await service.ask(targets[0]!, { method: 'POST' });
    return service.ask(targets[1]!, { method: 'POST' });
  },
  'previewBulkChange 409 proved': deleteProved('/coffer/transactions/bulk/preview'),
  'changeTransactionsInBulk 409 proved': deleteProved('/coffer/transactions/bulk'),
  'undoImport 409 changed': async (service) => {
    const id = await addImport(service.engine, service.ada);
    const { transactions: rows } = await service.list('start_date=2026-01-04&end_date=2026-01-04');
    await service.ask(`/v2/transactions/${rows[0]!.id}`, withBody('PUT', { notes: 'n' }));
    return service.ask(`${imports}/${id}/undo`, { method: 'POST' });
  },
  'redoImport 409 removed': async (service) => {
    const name = newName();
    const category = idOf(await service.ask('/v2/categories', withBody('POST', { name })));
    const target = `${imports}/${await addImport(service.engine, service.ada, { category: name })}`;
    await service.ask(`${target}/undo`, { method: 'POST' });
    await service.ask(`/v2/categories/${category}`, { method: 'DELETE' });
    return service.ask(`${target}/redo`, { method: 'POST' });
  },
  'undoChange 409 changed': async (service) =>
    service.ask(`/coffer/history/${await changedSince(service)}/undo`, { method: 'POST' }),
  'undoLastChange 409 changed': async (service) => {
    await changedSince(service);
    return service.ask('/coffer/undo', { method: 'POST' });
  },
  'undoChange 409 undone': async (service) => {
    const { target } = await goodRequest(service, 'undoChange');
    await service.ask(target, { method: 'POST' });
    return service.ask(target, { method: 'POST' });
  },
  'createCryptocurrency 422 unknown': ask('POST', '/v2/cryptocurrencies', {
    coingecko_url: `${coingecko}/xyz`,
  }),
  'BadRequest outOfBounds': ask('GET', '/v2/transactions?limit=2001'),
  'BadRequest unknownParameter': ask('GET', '/v2/transactions?strat_date=2026-01-01'),
  'BadRequestV1 syntax': (service) =>
    service.ask('/v1/transactions', { ...withBody('POST', {}), body: '{' }),
  'Unauthorized noToken': (service) => service.ask('/v2/me', { as: null }),
  'Unauthorized deadToken': (service) =>
    service.ask('/v2/me', { as: { ...service.ada, token: 'x' } }),
  'UnauthorizedV1 invalid': (service) => service.ask('/v1/me', { as: null }),
  'RefusedV1 missing': ask('GET', `/v1/transactions/${missingId}`),
  'RefusedV1 invalid': ask('POST', '/v1/transactions', badRow),
  'NotFound transaction': ask('GET', '/v2/transactions/543210'),
  'NotFound category': ask('GET', '/v2/categories/543210'),
  'NotFound cryptoAccount': ask('GET', '/v2/crypto/synced/543210'),
};
