import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { startProviders } from '../spec/crypto-providers.ts';
import { document as ours } from '../spec/document-check.ts';
import { validatorOf, type Validator } from '../spec/schema-validator.ts';
import { newAddress, startService, type Asking } from '../spec/started-service.ts';

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, Response>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, { readonly properties?: Record<string, object> }>>;
  };
}

const file = new URL(import.meta.resolve('@lunch-money/v2-api-spec/lunch-money-api-v2.yaml'));
const theirs = withoutNullable(parse(readFileSync(file, 'utf8'))) as Document;

// Their client, which is later than their document, has this key in a balance; their document allows no key more.
theirs.components.schemas['cryptoSyncedBalance']!.properties!['display_name'] = {
  type: ['string', 'null'],
};

/** OpenAPI 3.0 says `nullable` where JSON Schema has null among the alternatives. */
function withoutNullable(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutNullable);
  if (typeof node !== 'object' || node === null) return node;
  const converted = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withoutNullable(value)]),
  );
  if (converted['nullable'] !== true) return converted;
  return { anyOf: [{ type: 'null' }, { ...converted, nullable: undefined }] };
}

const providers = await startProviders();
after(() => providers.close());
const service = await startService(providers.flags, providers.environment);
after(() => service.close());

const cryptoIds = await Promise.all(
  (['kraken', 'coinbase', 'ethereum'] as const).map((name) =>
    providers.add(service.store, service.ada, name),
  ),
);

/** Points in which our answers knowingly differ: the status that their document has in place of ours. */
const otherStatus: Readonly<Record<string, string>> = {
  // Everything else that is got is 200, in their words too; no known client looks for 201 alone.
  '/v2/categories/{id} 200': '201',
};

/** Answers for which their document has no status at all, with the reason why ours are as they are. */
const notTheirs: Readonly<Record<string, string>> = {
  '/v2/me 400': 'an unknown parameter is refused here as elsewhere',
  '/v2/crypto/synced 400': 'an unknown parameter is refused here as elsewhere',
  '/v2/crypto/synced/{id}/refresh 400': 'an unknown parameter is refused here as elsewhere',
  '/v2/crypto/synced/{id}/refresh 502': 'their document does not say what a failing provider is',
};

/** The one method that a path of ours has. */
function methodOf(path: string): string {
  return Object.keys(ours.paths[path] ?? {}).join();
}

function theirSchema(path: string, status: number): object | undefined {
  const responses = theirs.paths[path.replace(/^\/v2/, '')]?.[methodOf(path)]?.responses ?? {};
  const response = responses[otherStatus[`${path} ${status}`] ?? status];
  const shared = theirs.components.responses[response?.$ref?.split('/').at(-1) ?? ''];
  return (shared ?? response)?.content?.['application/json']?.schema;
}

async function check(path: string, target: string, asking: Asking = {}): Promise<void> {
  const method = methodOf(path).toUpperCase();
  const { status, text } = await service.ask(target, { method, ...asking });
  const schema = theirSchema(path, status);
  assert.equal(schema === undefined, `${path} ${status}` in notTheirs, `${path} ${status}`);
  if (schema === undefined) return;
  assert.deepEqual(validator(`${path} ${status}`, schema)(JSON.parse(text)), [], target);
}

const validators = new Map<string, Validator>();

function validator(place: string, schema: object): Validator {
  const known = validators.get(place) ?? validatorOf(schema, theirs.components);
  validators.set(place, known);
  return known;
}

test('every operation that we have is in their document', () => {
  for (const path of Object.keys(ours.paths)) {
    assert.ok(theirs.paths[path.replace(/^\/v2/, '')]?.[methodOf(path)], path);
  }
});

test('lists of transactions are as their document says, with whatever is included', async () => {
  const shown = 'include_pending=true&include_split_parents=true&include_group_children=true';
  const included = 'include_children=true&include_metadata=true&include_files=true';
  for (const query of ['', 'limit=3', 'category_id=0', shown, included, `${shown}&${included}`]) {
    await check('/v2/transactions', `/v2/transactions?${query}`);
  }
  await check('/v2/transactions', '/v2/transactions', { as: service.ben });
});

test('every single transaction is as their document says', async () => {
  const query = 'include_pending=true&include_split_parents=true&include_group_children=true';
  for (const { id } of (await service.list(query)).transactions) {
    await check('/v2/transactions/{id}', `/v2/transactions/${id}`);
  }
});

test('categories are as their document says, in every arrangement and one by one', async () => {
  for (const query of [
    '',
    'format=nested',
    'format=flattened',
    'is_group=true',
    'is_group=false',
  ]) {
    await check('/v2/categories', `/v2/categories?${query}`);
  }
  const { text } = await service.ask('/v2/categories?format=flattened');
  const { categories } = JSON.parse(text) as { categories: readonly { id: number }[] };
  for (const { id } of categories) await check('/v2/categories/{id}', `/v2/categories/${id}`);
});

test('the user is as their document says', async () => {
  await check('/v2/me', '/v2/me');
  await check('/v2/me', '/v2/me', { as: service.ben });
});

test('synced crypto is as their document says, before and after a refresh, and when that fails', async () => {
  const path = '/v2/crypto/synced';
  const checkAll = async (): Promise<void> => {
    await check(path, path);
    await check(path, path, { as: service.ben });
    for (const id of cryptoIds) await check(`${path}/{id}`, `${path}/${id}`);
  };
  await checkAll();
  for (const id of cryptoIds) {
    await check(`${path}/{id}/refresh`, `${path}/${id}/refresh`);
    const { text } = await service.ask(`${path}/${id}`);
    const { balances } = JSON.parse(text) as { balances: readonly { symbol: string }[] };
    assert.ok(balances.length > 0);
    for (const { symbol } of balances) {
      await check(`${path}/{id}/{symbol}`, `${path}/${id}/${symbol}`);
    }
    await check(`${path}/{id}/{symbol}`, `${path}/${id}/none`);
  }
  await checkAll();
  await providers.kraken.fail({ status: 401 });
  await check(`${path}/{id}/refresh`, `${path}/${cryptoIds[0]}/refresh`);
  await providers.kraken.fail(null);
  await checkAll();
});

test('errors are as their document says', async () => {
  for (const path of Object.keys(ours.paths)) {
    const target = path.replace('{id}', '87654321').replace('{symbol}', 'btc');
    await check(path, target, { as: null });
    await check(path, `${target}?no_such_parameter=1`);
    if (path !== target) await check(path, target);
  }
});

test('a refusal for asking too often is as their document says, for every operation', async () => {
  const from = newAddress();
  await Promise.all(Array.from({ length: 100 }, () => service.ask('/v2/me', { from })));
  for (const path of Object.keys(ours.paths)) {
    const target = path.replace('{id}', '1').replace('{symbol}', 'btc');
    assert.equal((await service.ask(target, { from })).status, 429);
    await check(path, target, { from });
  }
});

test('their document refuses what is not so: the check bites', async () => {
  const schema = theirSchema('/v2/me', 200);
  assert.ok(schema);
  const { text } = await service.ask('/v2/me');
  const me = JSON.parse(text) as Record<string, unknown>;
  const validate = validator('/v2/me 200', schema);
  assert.deepEqual(validate(me), []);
  assert.notDeepEqual(validate({ ...me, more: 1 }), []);
  assert.notDeepEqual(validate({ ...me, primary_currency: 'EUR' }), []);
  assert.notDeepEqual(validate({ ...me, account_id: null }), []);
  assert.deepEqual(validate({ ...me, api_key_label: null }), []);
});
