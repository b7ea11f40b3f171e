import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { startProviders } from '../service/crypto-providers.ts';
import {
  goodRequest,
  idOf,
  newName,
  operationNames,
  withBody,
  withMissingId,
  type OperationName,
} from '../service/good-requests.ts';
import type { Answer } from '../service/http-exchange.ts';
import { validatorOf, type Validator } from '../service/schema-validator.ts';
import { newAddress, startService, type Asking } from '../service/started-service.ts';

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

// Their client is newer than their document: it has this key in a balance, which their document does not allow.
theirs.components.schemas['cryptoSyncedBalance']!.properties!['display_name'] = {
  type: ['string', 'null'],
};

/** OpenAPI 3.0 uses `nullable` where JSON Schema has null among the types. */
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
    providers.add(service.engine, service.ada, name),
  ),
);

/** Known differences: the status in their document instead of ours. */
const otherStatus: Readonly<Record<string, string>> = {
  // All other GET requests return 200, as their description says; no known client requires 201.
  'GET /v2/categories/{id} 200': '201',
};

const unknownParameter = 'an unknown parameter is refused as everywhere';

/** Responses whose status their document does not have, with the reasons. */
const notTheirs: Readonly<Record<string, string>> = {
  'GET /v2/me 400': unknownParameter,
  'DELETE /v2/categories/{id} 400': unknownParameter,
  'DELETE /v2/tags/{id} 400': unknownParameter,
  'GET /v2/crypto/synced 400': unknownParameter,
  'POST /v2/crypto/synced/{id}/refresh 400': unknownParameter,
  'POST /v2/crypto/synced/{id}/refresh 502': 'their document has no status for a failing provider',
};

function theirOperation(name: OperationName): Operation | undefined {
  const [method = '', path = ''] = name.split(' ');
  return theirs.paths[path.replace(/^\/v2/, '')]?.[method.toLowerCase()];
}

function theirResponse(name: OperationName, status: number): Response | undefined {
  const responses = theirOperation(name)?.responses ?? {};
  const response = responses[otherStatus[`${name} ${status}`] ?? status];
  return theirs.components.responses[response?.$ref?.split('/').at(-1) ?? ''] ?? response;
}

/** Checks a response of an operation against their document, and returns it. */
async function check(name: OperationName, target: string, asking: Asking = {}): Promise<Answer> {
  const [method = ''] = name.split(' ');
  const answer = await service.ask(target, { method, ...asking });
  const place = `${name} ${answer.status}`;
  const response = theirResponse(name, answer.status);
  assert.equal(response === undefined, place in notTheirs, place);
  if (response === undefined) return answer;
  const schema = response.content?.['application/json']?.schema;
  if (schema === undefined) assert.equal(answer.text, '', place);
  else assert.deepEqual(validator(place, schema)(JSON.parse(answer.text)), [], target);
  return answer;
}

const validators = new Map<string, Validator>();

function validator(place: string, schema: object): Validator {
  const known = validators.get(place) ?? validatorOf(schema, theirs.components);
  validators.set(place, known);
  return known;
}

test('every operation that we have is in their document', () => {
  for (const name of operationNames) assert.ok(theirOperation(name), name);
});

test('lists of transactions agree with their document, whatever is included', async () => {
  const shown = 'include_pending=true&include_split_parents=true&include_group_children=true';
  const included = 'include_children=true&include_metadata=true&include_files=true';
  for (const query of ['', 'limit=3', 'category_id=0', shown, included, `${shown}&${included}`]) {
    await check('GET /v2/transactions', `/v2/transactions?${query}`);
  }
  await check('GET /v2/transactions', '/v2/transactions', { as: service.ben });
});

test('every single transaction agrees with their document', async () => {
  const query = 'include_pending=true&include_split_parents=true&include_group_children=true';
  for (const { id } of (await service.list(query)).transactions) {
    await check('GET /v2/transactions/{id}', `/v2/transactions/${id}`);
  }
});

test('categories agree with their document, in every format and one by one', async () => {
  for (const query of [
    '',
    'format=nested',
    'format=flattened',
    'is_group=true',
    'is_group=false',
  ]) {
    await check('GET /v2/categories', `/v2/categories?${query}`);
  }
  const { text } = await service.ask('/v2/categories?format=flattened');
  const { categories } = JSON.parse(text) as { categories: readonly { id: number }[] };
  for (const { id } of categories) await check('GET /v2/categories/{id}', `/v2/categories/${id}`);
});

test('the user agrees with their document', async () => {
  await check('GET /v2/me', '/v2/me');
  await check('GET /v2/me', '/v2/me', { as: service.ben });
});

test('synced crypto agrees with their document, before and after a refresh, and after a failed one', async () => {
  const path = '/v2/crypto/synced';
  const refresh = (id?: number): Promise<Answer> =>
    check(`POST ${path}/{id}/refresh`, `${path}/${id}/refresh`);
  const checkAll = async (): Promise<void> => {
    await check(`GET ${path}`, path);
    await check(`GET ${path}`, path, { as: service.ben });
    for (const id of cryptoIds) await check(`GET ${path}/{id}`, `${path}/${id}`);
  };
  await checkAll();
  for (const id of cryptoIds) {
    await refresh(id);
    const { text } = await service.ask(`${path}/${id}`);
    const { balances } = JSON.parse(text) as { balances: readonly { symbol: string }[] };
    assert.ok(balances.length > 0);
    for (const symbol of [...balances.map((each) => each.symbol), 'none']) {
      await check(`GET ${path}/{id}/{symbol}`, `${path}/${id}/${symbol}`);
    }
  }
  await checkAll();
  await providers.kraken.fail({ status: 401 });
  await refresh(cryptoIds[0]);
  await providers.kraken.fail(null);
  await checkAll();
});

test('tags agree with their document: created, listed, changed and deleted', async () => {
  const colors = { text_color: 'FFF', background_color: '#FFE7D4' };
  const whole = { name: newName(), description: 'x', archived: true, ...colors };
  for (const body of [{ name: newName() }, { name: newName(), description: null }, whole]) {
    const made = await check('POST /v2/tags', '/v2/tags', withBody('POST', body));
    assert.equal(made.status, 201, made.text);
    const target = `/v2/tags/${idOf(made)}`;
    await check('GET /v2/tags/{id}', target);
    const update = { ...(JSON.parse(made.text) as object), archived: false, text_color: null };
    const changed = await check('PUT /v2/tags/{id}', target, withBody('PUT', update));
    assert.equal(changed.status, 200, changed.text);
    await check('GET /v2/tags', '/v2/tags');
    assert.equal((await check('DELETE /v2/tags/{id}', target)).status, 204);
  }
  const { text } = await check('GET /v2/tags', '/v2/tags');
  const [first] = (JSON.parse(text) as { tags: { id: number; name: string }[] }).tags;
  const again = withBody('POST', { name: first!.name });
  assert.equal((await check('POST /v2/tags', '/v2/tags', again)).status, 400);
  const held = await check('DELETE /v2/tags/{id}', `/v2/tags/${first!.id}`);
  assert.equal(held.status, 422);
  const none = withBody('PUT', { id: 1 });
  assert.equal((await check('PUT /v2/tags/{id}', `/v2/tags/${first!.id}`, none)).status, 400);
});

test('categories agree with their document: created, changed and deleted', async () => {
  const post = (body: object): Promise<Answer> =>
    check('POST /v2/categories', '/v2/categories', withBody('POST', body));
  const single = await post({ name: newName(), description: 'x', is_income: true, order: 3 });
  const group = await post({ name: newName(), is_group: true, children: [idOf(single), 'New'] });
  assert.deepEqual([single.status, group.status], [201, 201], group.text);
  for (const made of [single, group]) {
    const target = `/v2/categories/${idOf(made)}`;
    await check('GET /v2/categories/{id}', target);
    const { group_id, ...whole } = JSON.parse(made.text) as { group_id: number | null };
    const update = { ...whole, description: null, archived: true };
    const changed = await check('PUT /v2/categories/{id}', target, withBody('PUT', update));
    assert.equal(changed.status, 200, `${group_id} ${changed.text}`);
  }
  const both = { name: newName(), is_group: true, group_id: idOf(group) };
  assert.equal((await post(both)).status, 400);
  assert.equal((await post({ name: 'new' })).status, 400);
  const target = `/v2/categories/${idOf(group)}`;
  assert.equal((await check('DELETE /v2/categories/{id}', target)).status, 422);
  assert.equal((await check('DELETE /v2/categories/{id}', `${target}?force=true`)).status, 204);
  assert.equal((await check('DELETE /v2/categories/{id}', target)).status, 404);
});

test('errors agree with their document', async () => {
  for (const name of operationNames) {
    const { target, asking } = withMissingId(await goodRequest(service, name));
    await check(name, target, { ...asking, as: null });
    await check(name, `${target}?no_such_parameter=1`, asking);
    if (name.includes('{')) assert.equal((await check(name, target, asking)).status, 404, name);
  }
});

test('429 agrees with their document for every operation', async () => {
  const from = newAddress();
  await Promise.all(Array.from({ length: 100 }, () => service.ask('/v2/me', { from })));
  for (const name of operationNames) {
    const { target, asking } = await goodRequest(service, name);
    assert.equal((await check(name, target, { ...asking, from })).status, 429);
  }
});

test('the check finds wrong responses', async () => {
  const schema = theirResponse('GET /v2/me', 200)?.content?.['application/json']?.schema;
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
