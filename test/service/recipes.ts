import { deafUrl } from '../../packages/server/src/connectors/webhooks/testing/test-sender.ts';
import type { Answer } from './http-exchange.ts';
import { addImport, addPlaidAccount, pngBytes, recurringBody } from './made-records.ts';
import { addPreview, newFile } from './previews.ts';
import { signInRecipes } from './signed-in.ts';
import type { GoodRequest } from './good-requests.ts';
import type { Service, User } from './started-service.ts';

/** The parts of a request that an operation accepts. */
export interface Parts {
  /** The parameters of the path. */
  readonly values?: Readonly<Record<string, number | string>>;
  readonly query?: string;
  /** A JSON body. */
  readonly body?: unknown;
  /** The headers and bytes of another body. */
  readonly headers?: readonly string[];
  readonly raw?: Uint8Array;
}

/** Creates what an operation needs, and returns the parts of a request for it. */
export type Recipe = (service: Service, as: User) => Promise<Parts>;

const json = ['Content-Type', 'application/json'];
const month = '2026-01';
/** The date of the transactions that recipes create. */
export const day = `${month}-01`;
let names = 0;

/** Returns a name that no record has. */
export function newName(): string {
  return `Made ${(names += 1)}`;
}

/** Returns a request with a JSON body. */
export function withBody(method: string, body: unknown, as?: User): GoodRequest['asking'] {
  return { method, headers: json, body: JSON.stringify(body), ...(as && { as }) };
}

/** Returns the id in the body of a response. */
export function idOf({ status, text }: Answer): number {
  if (status >= 300) throw new Error(`A record was refused with ${status}: ${text}`);
  return (JSON.parse(text) as { id: number }).id;
}

/** Creates a record, and returns its id. */
export async function post(
  service: Service,
  path: string,
  body: unknown,
  as: User,
): Promise<number> {
  return idOf(await service.ask(path, withBody('POST', body, as)));
}

async function get<T>(service: Service, path: string, as: User): Promise<T> {
  return JSON.parse((await service.ask(path, { as })).text) as T;
}

/** Creates a record that needs only a name, and returns its id. */
export function named(service: Service, path: string, as: User): Promise<number> {
  return post(service, path, { name: newName() }, as);
}

/** Creates a transaction, and returns its id. */
export async function transaction(service: Service, as: User, amount = '2'): Promise<number> {
  const body = { transactions: [{ date: day, amount, payee: newName() }] };
  const { text } = await service.ask('/v2/transactions', withBody('POST', body, as));
  return (JSON.parse(text) as { transactions: { id: number }[] }).transactions[0]!.id;
}

/** The body of a new manual account. */
export const accountBody = (): object => ({ name: newName(), type: 'cash', balance: '1' });

const account: Recipe = async (service, as) => ({
  values: { id: await post(service, '/v2/manual_accounts', accountBody(), as) },
});

const plaid: Recipe = async (service, as) => ({
  values: { id: await addPlaidAccount(service.engine, as) },
});

/** The body of a new manual crypto account. */
export const cryptoBody = (): object => ({ name: newName(), symbol: 'btc', balance: '0.5' });

const coin: Recipe = async (service, as) => ({
  values: { id: await post(service, '/v2/crypto/manual', cryptoBody(), as) },
});

const synced: Recipe = async (service, as) => {
  const path = '/v2/crypto/synced';
  const { crypto_synced: all } = await get<{ crypto_synced: { id: number }[] }>(service, path, as);
  const [first] = all;
  if (first === undefined) throw new Error(`${as.name} has no crypto account`);
  return { values: { id: first.id, account_id: first.id, symbol: 'eth' } };
};

const recurring: Recipe = async (service, as) => ({
  values: { id: await post(service, '/coffer/recurring_items', recurringBody(), as) },
});

const rule: Recipe = async (service, as) => ({
  values: { id: await post(service, '/coffer/rules', ruleBody(), as) },
});

const imported: Recipe = async ({ engine }, as) => ({
  values: { id: await addImport(engine, as) },
});

const previewed: Recipe = async (service, as) => ({
  values: { id: await addPreview(service, as) },
});

/** A webhook whose receiver does not exist. Old ones are deleted, because a book can have only 20. */
const webhook: Recipe = async (service, as) => {
  const path = '/coffer/webhooks';
  const { webhooks } = await get<{ webhooks: { id: number }[] }>(service, path, as);
  for (const { id } of webhooks.slice(0, -10))
    await service.ask(`${path}/${id}`, { method: 'DELETE', as });
  return { values: { id: await post(service, path, { url: deafUrl }, as) } };
};

function ruleBody(): object {
  const conditions = { payee: { operator: 'is', value: newName() } };
  return { name: newName(), conditions, actions: { reviewed: true } };
}

const historyBody = { balances: [{ month: '2025-12', balance: '5' }] };

/** A manual account with an entry of its balance history. */
const history: Recipe = async (service, as) => {
  const { id = 0 } = (await account(service, as)).values ?? {};
  const target = `/v2/balance_history/manual/${id}`;
  const { text } = await service.ask(target, withBody('PUT', historyBody, as));
  const entry = (JSON.parse(text) as { balances: { id: number }[] }).balances[0]!.id;
  return { values: { account_type: 'manual', account_id: id, id: entry } };
};

const syncedHistory: Recipe = async (service, as) => {
  const { values = {} } = await synced(service, as);
  const { account_id, symbol } = values;
  const target = `/v2/balance_history/crypto_synced/${account_id}/${symbol}`;
  await service.ask(target, withBody('PUT', historyBody, as));
  return { values };
};

/** A deleted account whose balance history was kept. */
const formerAccount: Recipe = async (service, as) => {
  const { values: { account_id: id = 0 } = {} } = await history(service, as);
  await service.ask(`/v2/manual_accounts/${id}`, { method: 'DELETE', as });
  interface Source {
    source: { deleted_account_id?: number };
  }
  const list = await get<{ balance_history: Source[] }>(service, '/v2/balance_history', as);
  const former = list.balance_history.map(({ source }) => source.deleted_account_id);
  return { values: { account_id: former.findLast((each) => each !== undefined)! } };
};

/** A multipart body with one file. */
export function multipart(notes = 'x'): Required<Pick<Parts, 'headers' | 'raw'>> {
  const boundary = 'boundary-of-a-test';
  const disposition = 'Content-Disposition: form-data; name=';
  const file = `${disposition}"file"; filename="one.png"\r\nContent-Type: image/png\r\n\r\n`;
  const raw = Buffer.concat([
    Buffer.from(`--${boundary}\r\n${file}`),
    pngBytes,
    Buffer.from(
      `\r\n--${boundary}\r\n${disposition}"notes"\r\n\r\n${notes}\r\n--${boundary}--\r\n`,
    ),
  ]);
  return { headers: ['Content-Type', `multipart/form-data; boundary=${boundary}`], raw };
}

const attached: Recipe = async (service, as) => {
  const id = await transaction(service, as);
  const { headers, raw } = multipart();
  const asking = { method: 'POST', headers, body: raw, as };
  return {
    values: { file_id: idOf(await service.ask(`/v2/transactions/${id}/attachments`, asking)) },
  };
};

const group: Recipe = async (service, as) => {
  const ids = [await transaction(service, as), await transaction(service, as)];
  return { body: { ids, date: day, payee: newName() } };
};

const parts = { child_transactions: [{ amount: '0.5' }, { amount: '1.5' }] };

const budget: Recipe = async (service, as) => {
  const category_id = await named(service, '/v2/categories', as);
  return { body: { category_id, start_date: day, amount: '10' } };
};

const mergeWith = async (service: Service, as: User, path: string, body: () => object) => ({
  values: { id: await post(service, path, body(), as) },
  body: { into_id: await post(service, path, body(), as) },
});

/** Adds a body to the parts of a recipe. */
export function and(recipe: Recipe, body: (parts: Parts) => object): Recipe {
  return async (service, as) => {
    const made = await recipe(service, as);
    return { ...made, body: body(made) };
  };
}

function recordOf(path: string): Recipe {
  return async (service, as) => ({ values: { id: await named(service, path, as) } });
}

const tag = recordOf('/v2/tags');
const category = recordOf('/v2/categories');
const one: Recipe = async (service, as) => ({ values: { id: await transaction(service, as) } });
const range = 'start_date=2026-01-01&end_date=2026-01-31';
const described = (): object => ({ description: newName() });
const ofHistory = '/v2/balance_history/{account_type}/{account_id}';
const ofSynced = '/v2/balance_history/crypto_synced/{account_id}/{symbol}';

/** For each operation that needs more than its path: how to make a request that it accepts. */
export const recipes: Readonly<Record<string, Recipe>> = {
  ...signInRecipes,
  'POST /v2/tags': () => Promise.resolve({ body: { name: newName() } }),
  'GET /v2/tags/{id}': tag,
  'PUT /v2/tags/{id}': and(tag, described),
  'DELETE /v2/tags/{id}': tag,
  'POST /v2/categories': () => Promise.resolve({ body: { name: newName(), is_income: true } }),
  'GET /v2/categories/{id}': category,
  'PUT /v2/categories/{id}': and(category, described),
  'DELETE /v2/categories/{id}': category,
  'POST /v2/transactions': () =>
    Promise.resolve({ body: { transactions: [{ date: day, amount: '1.5', payee: newName() }] } }),
  'PUT /v2/transactions': and(one, ({ values }) => ({
    transactions: [{ id: values!['id'], notes: newName() }],
  })),
  'DELETE /v2/transactions': and(one, ({ values }) => ({ ids: [values!['id']] })),
  'GET /v2/transactions/{id}': one,
  'PUT /v2/transactions/{id}': and(one, () => ({ notes: newName() })),
  'DELETE /v2/transactions/{id}': one,
  'POST /v2/transactions/group': group,
  'DELETE /v2/transactions/group/{id}': async (service, as) => {
    const { body } = await group(service, as);
    return { values: { id: await post(service, '/v2/transactions/group', body, as) } };
  },
  'POST /v2/transactions/split/{id}': and(one, () => parts),
  'DELETE /v2/transactions/split/{id}': async (service, as) => {
    const id = await transaction(service, as);
    await service.ask(`/v2/transactions/split/${id}`, withBody('POST', parts, as));
    return { values: { id } };
  },
  'POST /v2/transactions/{transaction_id}/attachments': async (service, as) => ({
    values: { transaction_id: await transaction(service, as) },
    ...multipart(),
  }),
  'GET /v2/transactions/attachments/{file_id}': attached,
  'DELETE /v2/transactions/attachments/{file_id}': attached,
  'POST /v2/manual_accounts': () => Promise.resolve({ body: accountBody() }),
  'GET /v2/manual_accounts/{id}': account,
  'PUT /v2/manual_accounts/{id}': and(account, () => ({ subtype: newName() })),
  'DELETE /v2/manual_accounts/{id}': account,
  'GET /v2/plaid_accounts/{id}': plaid,
  'GET /v2/recurring_items/{id}': recurring,
  'PUT /v2/budgets': budget,
  'DELETE /v2/budgets': async (service, as) => {
    const { body } = await budget(service, as);
    await service.ask('/v2/budgets', withBody('PUT', body, as));
    return {
      query: `category_id=${(body as { category_id: number }).category_id}&start_date=${day}`,
    };
  },
  'GET /v2/summary': () => Promise.resolve({ query: range }),
  'POST /v2/cryptocurrencies': () =>
    Promise.resolve({
      body: { coingecko_url: `https://www.coingecko.com/en/coins/made-${(names += 1)}` },
    }),
  'POST /v2/crypto/manual': () => Promise.resolve({ body: cryptoBody() }),
  'GET /v2/crypto/manual/{id}': coin,
  'PUT /v2/crypto/manual/{id}': and(coin, () => ({ balance: '0.75' })),
  'DELETE /v2/crypto/manual/{id}': coin,
  'GET /v2/crypto/synced/{id}': synced,
  'GET /v2/crypto/synced/{id}/{symbol}': synced,
  'POST /v2/crypto/synced/{id}/refresh': synced,
  [`GET ${ofHistory}`]: history,
  [`PUT ${ofHistory}`]: and(history, () => historyBody),
  [`DELETE ${ofHistory}`]: history,
  [`GET ${ofSynced}`]: syncedHistory,
  [`PUT ${ofSynced}`]: and(syncedHistory, () => historyBody),
  [`DELETE ${ofSynced}`]: syncedHistory,
  'DELETE /v2/balance_history/entries/{id}': history,
  'PUT /v2/balance_history/deleted/{account_id}/details': and(formerAccount, () => ({
    name: newName(),
  })),
  'POST /coffer/recurring_items': () => Promise.resolve({ body: recurringBody() }),
  'GET /coffer/recurring_items/{id}': recurring,
  'PUT /coffer/recurring_items/{id}': and(recurring, () => ({ description: newName() })),
  'DELETE /coffer/recurring_items/{id}': recurring,
  'POST /coffer/rules': () => Promise.resolve({ body: ruleBody() }),
  'GET /coffer/rules/{id}': rule,
  'PUT /coffer/rules/{id}': and(rule, () => ({ name: newName() })),
  'DELETE /coffer/rules/{id}': rule,
  'PUT /coffer/rules/order': async (service, as) => {
    await rule(service, as);
    const { rules } = await get<{ rules: { id: number }[] }>(service, '/coffer/rules', as);
    return { body: { rule_ids: rules.map(({ id }) => id) } };
  },
  'POST /coffer/rules/preview': () => Promise.resolve({ body: {} }),
  'POST /coffer/rules/apply': () => Promise.resolve({ body: {} }),
  'POST /coffer/imports': () =>
    Promise.resolve({ headers: ['Content-Type', 'text/csv'], raw: newFile() }),
  'GET /coffer/imports/{id}/rows': previewed,
  'POST /coffer/imports/{id}/commit': previewed,
  'DELETE /coffer/imports/{id}': previewed,
  'GET /coffer/imports/{id}': imported,
  'POST /coffer/imports/{id}/undo': imported,
  'POST /coffer/imports/{id}/redo': async (service, as) => {
    const { values } = await imported(service, as);
    await service.ask(`/coffer/imports/${values!['id']}/undo`, { method: 'POST', as });
    return { values: values! };
  },
  'GET /coffer/history/{version}': async (service, as) => {
    await tag(service, as);
    const path = '/coffer/history?limit=1';
    const { history } = await get<{ history: { version: number }[] }>(service, path, as);
    return { values: { version: history[0]!.version } };
  },
  'POST /coffer/history/{version}/undo': async (service, as) => {
    await tag(service, as);
    const path = '/coffer/history?limit=1';
    const { history } = await get<{ history: { version: number }[] }>(service, path, as);
    return { values: { version: history[0]!.version } };
  },
  'POST /coffer/undo': async (service, as) => {
    await tag(service, as);
    return {};
  },
  'GET /coffer/transactions': async (service, as) => {
    await tag(service, as);
    return { query: 'as_of=1' };
  },
  'GET /coffer/export': async (service, as) => {
    await tag(service, as);
    return { query: 'as_of=1' };
  },
  'GET /coffer/transactions/{id}': async (service, as) => {
    const { values } = await one(service, as);
    const path = '/coffer/history?limit=1';
    const { history } = await get<{ history: { at: string }[] }>(service, path, as);
    // A time, because books of others have fewer versions.
    await tag(service, as);
    return { values: values!, query: `as_of=${history[0]!.at}` };
  },
  'GET /coffer/transactions/{id}/history': one,
  'POST /coffer/webhooks': async (service, as) => {
    await webhook(service, as);
    return { body: { url: deafUrl, ...described() } };
  },
  'GET /coffer/webhooks/{id}': webhook,
  'PUT /coffer/webhooks/{id}': and(webhook, described),
  'DELETE /coffer/webhooks/{id}': webhook,
  'POST /coffer/webhooks/{id}/rotate': webhook,
  'POST /coffer/webhooks/{id}/ping': webhook,
  'POST /coffer/webhooks/{id}/redeliver': and(webhook, () => ({ after: 'latest' })),
  'GET /coffer/webhooks/{id}/attempts': webhook,
  'PUT /coffer/budget_settings': () => Promise.resolve({ body: { budget_hide_no_activity: true } }),
  'POST /coffer/categories/{id}/merge': (service, as) =>
    mergeWith(service, as, '/v2/categories', () => ({ name: newName() })),
  'POST /coffer/manual_accounts/{id}/merge': (service, as) =>
    mergeWith(service, as, '/v2/manual_accounts', accountBody),
};
