import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sql from 'sql-template-tag';
import { isLong } from '../../packages/core/src/testing/length.ts';
import { run } from '../../packages/server/src/db/engine.ts';
import { DatabaseError } from '../../packages/server/src/db/errors.ts';
import { vendorProblems } from '../../packages/server/src/http/testing/vendor-document.ts';
import { CryptoRefreshError } from '../../packages/server/src/outside/provider-error.ts';
import { startProviders } from '../service/crypto-providers.ts';
import {
  checkAnswer,
  cofferDocument,
  document,
  documents,
  responseOf,
  templatesOf,
} from '../service/document-check.ts';
import { startBroken, startForsaken, startHolding } from '../service/failing-services.ts';
import {
  goodRequest,
  malformed,
  newUser,
  reuseKey,
  withMissingId,
} from '../service/good-requests.ts';
import { newAddress, type Answer } from '../service/http-exchange.ts';
import { pruneAll, withBody, type GoodRequest } from '../service/json-requests.ts';
import { ownExamples, ownStatuses } from '../service/refusals.ts';
import { forbidden, isOfUsers, misdirected, unauthorized } from '../service/signed-in.ts';
import { startService, type Service } from '../service/started-service.ts';

const providers = await startProviders();
after(() => providers.close());

async function closedAfter<S extends Service>(starting: Promise<S>): Promise<S> {
  const started = await starting;
  after(() => started.close());
  return started;
}

const limits = { rateLimit: '100/24h', cofferRateLimit: '100/24h' };
const service = await closedAfter(
  startService({ ...providers.flags, ...limits }, providers.environment),
);
const faulty = await closedAfter(startBroken(new Error('A fault')));
const busy = await closedAfter(startBroken(new DatabaseError('busy', 'planted')));
const keyRefused = new CryptoRefreshError('refused', 'Coinbase refused the key (401)');
const refused = await closedAfter(startForsaken(providers, keyRefused));
const tooSlow = 'The provider of the synced account did not respond in time';
const late = await closedAfter(
  startForsaken(providers, new CryptoRefreshError('timeout', tooSlow)),
);
const keyless = await closedAfter(startService(limits, { ENCRYPTION_KEY: '' }));
const guarded = await closedAfter(startService({ ...limits, bankSetup: 'off' }));
const holding = await closedAfter(startHolding(providers));

const cryptoId = await providers.add(service.engine, service.ada, 'ethereum');
await service.ask(`/v2/crypto/synced/${cryptoId}/refresh`, { method: 'POST' });

type Ask = (request: GoodRequest, id: string) => Promise<Answer>;

const send: Ask = ({ target, asking }) => service.ask(target, asking);

/** Responses that depend on more than the book, so that only `*` matches. */
const unmarked = [
  '/v2/cryptocurrencies',
  '/v2/transactions/attachments/',
  '/coffer/imports',
  '/coffer/history',
  '/coffer/transactions/',
  '/coffer/net_worth',
  '/coffer/changes',
  '/coffer/webhooks',
  '/coffer/connections',
  '/coffer/sessions',
  '/coffer/passkeys',
  '/coffer/tokens',
  '/coffer/backups',
  '/coffer/sources',
];

/** How to get each documented status that uses up no record, from a request that the operation accepts. */
const refusals: Readonly<Record<string, Ask>> = {
  304: async ({ target, asking }) => {
    const isMarked = !unmarked.some((each) => target.startsWith(each));
    let mark = isMarked ? (await service.ask(target, asking)).lines['etag']![0]! : '*';
    for (let left = 5; ; left -= 1) {
      const headers = [...(asking.headers ?? []), 'If-None-Match', mark];
      const answer = await service.ask(target, { ...asking, headers });
      const [next] = answer.lines['etag'] ?? [];
      // What an earlier request began may have changed the book in between.
      if (left === 0 || answer.status !== 200 || next === undefined || next === mark) return answer;
      mark = next;
    }
  },
  400: (request, id) => send(malformed(request), id),
  401: (request, id) => send(unauthorized(service, request), id),
  403: (request, id) => send(forbidden(service, request), id),
  421: (request, id) => send(misdirected(service, request), id),
  404: (request, id) => send(withMissingId(request), id),
  409: async (_, id) => holding.repeatTooSoon(await goodRequest(holding, id)),
  410: async (_, id) => {
    const user = await newUser(service);
    const request = await goodRequest(service, id, user);
    await pruneAll(service.engine, user);
    return send(request, id);
  },
  429: async ({ target, asking }) =>
    service.ask(target, { ...asking, from: await spentAddress(target) }),
  500: ({ target, asking }) => faulty.ask(target, { ...asking, as: faulty.ada }),
  502: (_, id) => askForsaken(refused, id),
  503: ({ target, asking }) => busy.ask(target, { ...asking, as: busy.ada }),
  504: (_, id) => askForsaken(late, id),
};

/** The same for statuses that need a new request. */
const uses: Readonly<Record<string, Ask>> = {
  200: send,
  201: send,
  202: send,
  204: send,
  422: (request, id) => reuseKey(service, request, id),
  425: async (request, id) => {
    await send(request, id);
    return send(request, id);
  },
};

async function askForsaken(forsaken: typeof refused, id: string): Promise<Answer> {
  const { target, asking } = await forsaken.calmly(() => goodRequest(forsaken, id));
  return forsaken.ask(target, asking);
}

const spent = new Map<string, string>();

/** Returns an address whose quota for the path has no requests left for a day. */
async function spentAddress(target: string): Promise<string> {
  const [prefix = ''] = /^\/\w+\//.exec(target) ?? [];
  const known = spent.get(prefix);
  if (known !== undefined) return known;
  const from = newAddress();
  spent.set(prefix, from);
  while ((await service.ask(`${prefix}none`, { from, as: null })).status !== 429);
  return from;
}

/** A user can request it once a minute. */
const fetching = 'triggerPlaidAccountFetch';
/** For users of their own. A change of the currency is seen in other examples. */
const apart: readonly string[] = [fetching, 'changePrimaryCurrency'];

async function newRequest(id: string): Promise<GoodRequest> {
  return goodRequest(service, id, apart.includes(id) ? await newUser(service) : undefined);
}

/** Gets the response of an operation with a status. Requests without an effect are `known`. */
async function provoke(id: string, status: string, known: GoodRequest): Promise<Answer> {
  const own = ownStatuses[`${id} ${status}`];
  if (own !== undefined) return own(service);
  const ask = refusals[status] ?? uses[status];
  assert.ok(ask, `No request is known for ${status}`);
  const { method } = known.asking;
  const isRead = method === 'GET' || method === 'HEAD';
  // The requests of a session that was used are counted apart from their address.
  const isUsed = status === '429' ? isOfUsers(known.target) : status in uses && !isRead;
  const { target, asking } = isUsed ? await newRequest(id) : known;
  return ask({ target, asking: { ...asking, method } }, id);
}

for (const { paths } of documents) {
  for (const [path, operations] of Object.entries(paths)) {
    for (const [word, { operationId, responses }] of Object.entries(operations)) {
      test(`every documented response of ${word} ${path} occurs, and is as documented`, async () => {
        const known = await newRequest(operationId);
        const { target, asking } = known;
        // What ends sessions comes last.
        const statuses = Object.keys(responses).toSorted(
          (one, other) => Number(one in uses) - Number(other in uses),
        );
        for (const status of statuses) {
          const answer = await provoke(operationId, status, known);
          assert.equal(answer.status, Number(status), `${target}: ${answer.text.slice(0, 500)}`);
          // The refusals of HEAD are those of GET.
          if (word !== 'get' || (Number(status) >= 400 && !isLong)) continue;
          const head = { target, asking: { ...asking, method: 'HEAD' } };
          const { status: ofHead } = await provoke(operationId, status, head);
          assert.equal(ofHead, Number(status), `HEAD ${target}`);
        }
      });
    }
  }
}

test('an undocumented method is 405, with the documented ones in Allow', async () => {
  for (const template of documents.flatMap(({ paths }) => Object.keys(paths))) {
    const path = template.replaceAll(/\{\w+\}/g, '1');
    const documented = documents.flatMap((each) =>
      templatesOf(each, path).flatMap((found) => Object.keys(each.paths[found]!)),
    );
    const allowed = new Set(documented.map((word) => word.toUpperCase()));
    const ofGet = allowed.has('GET') ? ['HEAD'] : [];
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (allowed.has(method)) continue;
      const answer = await service.ask(path, { method });
      assert.equal(answer.status, 405, `${method} ${path}`);
      const listed = answer.lines['allow']?.[0]?.split(', ') ?? [];
      assert.deepEqual(listed.toSorted(), [...allowed, ...ofGet, 'OPTIONS'].toSorted(), path);
    }
  }
});

/** A response of an operation with a status. */
async function refusalOf(id: string, status: string): Promise<Answer> {
  return provoke(id, status, await newRequest(id));
}

/** How to get the examples of refusals by services that lack something, or of a certain book. */
const examples: Readonly<Record<string, () => Promise<Answer>>> = {
  'Forbidden otherSite': () => refusalOf('signIn', '403'),
  'MisdirectedRequest otherName': () => refusalOf('signIn', '421'),
  'NotFound cryptoBalance': async () => {
    const answer = await service.ask(`/v2/crypto/synced/${cryptoId}/doge`);
    return { ...answer, text: answer.text.replace(/\d+(?=\.")/, '543210') };
  },
  'Conflict underWay': () => refusalOf('createCryptoManual', '409'),
  'Gone pruned': async () => {
    const as = await newUser(service);
    await service.engine.write(() =>
      run(sql`UPDATE books SET pruned_version = 339 WHERE id = ${as.bookId}`),
    );
    return service.ask('/coffer/history/12', { as });
  },
  'KeyReused otherBody': () => refusalOf('createTag', '422'),
  'TooEarly soon': () => refusalOf(fetching, '425'),
  'TooManyRequests spent': () => refusalOf('getMe', '429'),
  'InternalServerError fault': () => faulty.ask('/v2/transactions'),
  'BadGateway refused': () => refusalOf('refreshCryptoSynced', '502'),
  'ServiceUnavailable store': () => busy.ask('/v2/transactions'),
  'GatewayTimeout late': () => refusalOf('refreshCryptoSynced', '504'),
  'createWebhook 409 noKey': () =>
    keyless.ask('/coffer/webhooks', withBody('POST', { url: 'http://127.0.0.1:9/' })),
  'rotateWebhookSecret 409 noKey': () =>
    keyless.ask('/coffer/webhooks/1/rotate', { method: 'POST' }),
  'createConnection 409 noKey': () =>
    keyless.ask('/coffer/connections', withBody('POST', { setup_token: 'x' })),
  'createConnection 409 off': () =>
    guarded.ask('/coffer/connections', withBody('POST', { setup_token: 'x' })),
};

/** Gets the refusal that an example shows. */
async function exampleOf(place: string): Promise<Answer> {
  const own = ownExamples[place] ?? ownStatuses[place.split(' ').slice(0, 2).join(' ')];
  const ask = examples[place] ?? (own && (() => own(service)));
  assert.ok(ask, `No request is known for ${place}`);
  return ask();
}

/** The examples of refusals: shared ones by their component, others by operation and status. */
function refusalExamples() {
  return documents.flatMap(({ paths, components }) => {
    const own = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ operationId, responses }) =>
        Object.entries(responses)
          .filter(([status]) => Number(status) >= 400)
          .map(([status, response]) => [`${operationId} ${status}`, response] as const),
      );
    return [...Object.entries(components.responses), ...own].flatMap(([place, response]) => {
      const { content } = response as (typeof components.responses)[string];
      const named = Object.entries(content?.['application/json']?.examples ?? {});
      return named.map(([name, { value }]) => ({ place: `${place} ${name}`, value }));
    });
  });
}

test('the examples of refusals in the documents are real responses', async () => {
  for (const { place, value } of refusalExamples()) {
    const { text } = await exampleOf(place);
    assert.deepEqual(comparable(place, JSON.parse(text)), comparable(place, value));
  }
});

/** Clients do not compare errMsg for a wrong parameter; an operation's own refusals count and name other records. */
function comparable(place: string, body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: unknown) => {
    if (key === 'errMsg' && place.startsWith('BadRequest')) return '';
    if (key === 'errMsg' && / (409|410) /.test(place)) return String(value).replaceAll(/\d+/g, '');
    if (!/ (409|410|422) /.test(place)) return value;
    return typeof value === 'number' || key.endsWith('_name') ? null : value;
  });
}

test('the examples of successes in the document fit that of the API that we are compatible with', () => {
  let count = 0;
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [word, operation] of Object.entries(item)) {
      for (const status of Object.keys(operation.responses).map(Number)) {
        const content = responseOf(document, operation, status)?.content?.['application/json'];
        if (status >= 400) continue;
        for (const [name, { value }] of Object.entries(content?.examples ?? {})) {
          const compared = { method: word.toUpperCase(), target: path, status };
          const problems = vendorProblems({ ...compared, text: JSON.stringify(value) });
          assert.deepEqual(problems, [], `${word} ${path} ${name}`);
          count += 1;
        }
      }
    }
  }
  assert.ok(count > 40, `Only ${count} examples`);
});

test('the served documents are those that responses are checked against', async () => {
  const own = await service.ask('/openapi.json', { as: null });
  assert.deepEqual(JSON.parse(own.text), document);
  const coffer = await service.ask('/coffer/openapi.json', { as: null });
  assert.deepEqual(JSON.parse(coffer.text), cofferDocument);
});

test('the check finds undocumented responses', async () => {
  const good = await service.ask('/v2/me');
  const without = (name: string): Answer => ({
    ...good,
    lines: Object.fromEntries(Object.entries(good.lines).filter(([key]) => key !== name)),
  });
  const withText = (text: string): Answer => ({
    ...good,
    lines: { ...good.lines, 'content-length': [String(Buffer.byteLength(text))] },
    text,
  });
  checkAnswer('GET', '/v2/me', good);
  for (const bad of [
    { ...good, status: 201 },
    without('etag'),
    without('ratelimit-reset'),
    without('x-content-type-options'),
    { ...good, lines: { ...good.lines, 'retry-after': ['1'] } },
    { ...good, lines: { ...good.lines, 'ratelimit-limit': ['100', '100'] } },
    { ...good, lines: { ...good.lines, 'x-ratelimit-remaining': ['7'] } },
    { ...good, lines: { ...good.lines, 'content-type': ['text/html'] } },
    withText('{}'),
    withText(good.text.replace('{', '{"more":1,')),
    withText(good.text.replace('"eur"', '"euro"')),
  ]) {
    assert.throws(() => checkAnswer('GET', '/v2/me', bad));
  }
  const settings = await service.ask('/coffer/budget_settings');
  checkAnswer('GET', '/coffer/budget_settings', settings);
  for (const bad of [good, { ...settings, status: 201 }, { ...settings, lines: {} }])
    assert.throws(() => checkAnswer('GET', '/coffer/budget_settings', bad));
});
