import { fillDemo } from '../../packages/server/src/demo/fill.ts';
import { asJson, type SchemaJson } from '../../packages/server/src/operations/schema.ts';
import type { GoodRequest } from '../../packages/server/src/operations/testing/special-requests.ts';
import { after, test } from 'node:test';
import { makeDemoBook } from '../../packages/server/src/demo/book/make-demo-book.ts';
import type { Described } from '../../packages/server/src/operations/declaration.ts';
import { catalogue, usesUpUser } from '../../packages/server/src/operations/testing/catalogue.ts';
import { pathsOf } from '../../packages/server/src/operations/testing/id-places.ts';
import type { User } from '../service/service-books.ts';
import { Outputs } from './approved.ts';
import { placesIn, valuesOf, withValue } from './odd-values.ts';
import { RespondingService } from './responding-service.ts';

const service = await RespondingService.start();
after(() => service.close());
const { ada, engine } = service;

/** They wait for changes. */
const streams = /\/(changes\/stream|changes\/wait|events)$/;
const operations = catalogue.filter(({ declaration }) => !streams.test(declaration.path));
/** What they change would change what the others do. */
const last = ['updateBudgetSettings', 'setPassword', 'endSession', 'signOut'];
const ordered = operations.toSorted((one, other) => rankOf(one) - rankOf(other));

function rankOf({ declaration }: Described): number {
  return last.indexOf(declaration.id);
}

/** Examples that need another book: without a password, with more versions, or with a certain file. */
const unsent = new Set(['setPassword first', 'createWebhook all', 'commitImport choices']);

test('every operation responds as approved to each of its examples', async () => {
  const outputs = new Outputs();
  for (const operation of ordered) {
    const { id, bodyExamples = {} } = operation.declaration;
    const examples = Object.keys(bodyExamples).filter((name) => !unsent.has(`${id} ${name}`));
    const user = await service.newUser(id);
    const records = service.recordsOf(user);
    for (const path of pathsOf(operation)) {
      for (const example of examples.length === 0 ? [undefined] : examples) {
        const choice = { path, ...(example !== undefined && { example }) };
        const sent = service.sentOf(await records.request(id, choice), user);
        const { text } = await service.responseTo(sent);
        outputs.add([id, path, example ?? ''].join(' ').trim(), text);
      }
    }
  }
  outputs.approve('responses', 700);
});

/** A case of an operation: its name, and what it changes in a good request; null for a request without such a place. */
type Variant = readonly [name: string, change: (made: GoodRequest) => GoodRequest | null];

/** Returns the changes of one value at a time: in the query, in the path, and in the body. */
function variantsOf({ declaration: { query, params, body } }: Described): Variant[] {
  const inQuery = (name: string, value: string | undefined) => (made: GoodRequest) => {
    const others = Object.entries(made.query).filter(([each]) => each !== name);
    const all = value === undefined ? others : [...others, [name, value] as const];
    return { ...made, query: Object.fromEntries(all) };
  };
  const ofQuery = propertiesOf(query).flatMap(([name, schema]) => [
    ...valuesOf(schema).map(
      ([label, value]) => [`?${name} ${label}`, inQuery(name, String(value))] as const,
    ),
    [`?${name} missing`, inQuery(name, undefined)] as const,
  ]);
  const ofPath = propertiesOf(params).flatMap(([name]) =>
    ['87654321', '0', 'x'].map((value): Variant => {
      return [
        `/${name} ${value}`,
        (made) => ({ ...made, params: { ...made.params, [name]: value } }),
      ];
    }),
  );
  const whole = [[], {}, 'text', null].map((value): Variant => {
    return [JSON.stringify(value), (made) => ({ ...made, body: value })];
  });
  const ofBody = (body === undefined ? [] : placesIn(asJson(body))).flatMap(({ keys, schema }) =>
    [...valuesOf(schema), ['missing', undefined] as const].map(([label, value]): Variant => {
      const change = (made: GoodRequest): GoodRequest | null => {
        const changed = withValue(made.body, keys, value);
        return changed === null ? null : { ...made, body: changed };
      };
      return [`${keys.join('.')} ${label}`, change];
    }),
  );
  const others = body === undefined ? [] : [...whole, ...ofBody];
  return [...ofQuery, ['?unknown', inQuery('unknown', '1')], ...ofPath, ...others];
}

function propertiesOf(schema: Described['declaration']['query']): [string, SchemaJson][] {
  return schema === undefined ? [] : Object.entries(asJson(schema).properties ?? {});
}

for (const prefix of ['v1', 'v2', 'coffer']) {
  test(`every operation of ${prefix} refuses and accepts other values as approved`, async () => {
    const outputs = new Outputs();
    const own = ordered.filter(({ declaration }) => declaration.path.startsWith(`/${prefix}/`));
    for (const operation of own) {
      const { method, declaration } = operation;
      const { id, multipart, upload } = declaration;
      const user = await service.newUser(`values-${id}`);
      const records = service.recordsOf(user);
      let made = await records.request(id);
      for (const [name, change] of variantsOf(operation)) {
        const changed = change(made);
        const isOfFile = multipart === true || upload === true;
        if (changed === null || (isOfFile && changed.body !== undefined)) continue;
        const { status, text } = await service.responseTo(service.sentOf(changed, user));
        outputs.add(`${id} ${name}`, text);
        const isUsed = status < 300 && (method === 'POST' || method === 'DELETE');
        if (isUsed) made = await records.request(id);
      }
    }
    outputs.approve(`values-${prefix}`, 90);
  });
}

const months = ['2024-02', '2026-03', '2026-07'];
/** Records of one list that are read one by one. */
const mostOfList = 6;

/** Sends every GET of a user: lists with and without a month and a page, and records that the lists name. */
async function readAll(as: User, outputs: Outputs): Promise<void> {
  const read = async (path: string): Promise<string> => {
    const { text } = await service.responseTo({ method: 'GET', target: path, as });
    outputs.add(`${as.name} ${path}`, text);
    return text;
  };
  const paths = operations
    .filter(({ method }) => method === 'GET')
    .map((each) => each.declaration.path);
  for (const list of paths.filter((path) => !path.includes('{'))) {
    const ranges = months.map((month) => `?start_date=${month}-01&end_date=${month}-28`);
    for (const query of ['', ...ranges, '?limit=100', '?limit=10&offset=3']) {
      const text = await read(`${list}${query}`);
      if (query !== '' || !text.startsWith('200 {')) continue;
      for (const single of paths.filter((path) => path.startsWith(`${list}/{`)))
        for (const id of idsIn(text)) await read(single.replace(/\{\w+\}/, id));
    }
  }
}

function idsIn(text: string): string[] {
  const ids = [...text.matchAll(/"(?:id|version)":(\d+)/g)].map(([, id = '']) => id);
  const every = Math.ceil(ids.length / mostOfList);
  return ids.filter((_, n) => n % every === 0);
}

test('every GET of a filled book and of the demo book responds as approved', async () => {
  const outputs = new Outputs();
  const records = service.recordsOf(ada);
  // Without exchange rates, the values in another currency are 0.
  const left = [usesUpUser, 'changePrimaryCurrency'];
  for (const { declaration } of ordered)
    if (!left.includes(declaration.id))
      await service.ask(service.sentOf(await records.request(declaration.id), ada));
  await readAll(ada, outputs);
  const demo = await service.newUser('demo');
  await fillDemo(engine, demo.bookId, makeDemoBook({ transactions: 400 }), service.services.files);
  await readAll(demo, outputs);
  outputs.approve('reads', 80);
});
