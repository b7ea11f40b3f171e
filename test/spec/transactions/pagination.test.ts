import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { header } from '../../service/http-exchange.ts';
import { errorsOf, startService } from '../../service/started-service.ts';

const service = await startService();
after(() => service.close());

/** Texts that are never an integer in plain digits. */
const noNumbers = `5%20 %205 +5 5+ %2B5 %2D5 -1 -0 1.0 1.5 5. .5 1e2 1E2 0x10 0b1 0o7 00 01 007 1_000
  1,000 NaN Infinity abc null undefined true [] [5] %7B%7D %00 5%00 5%0A %0A5 %D9%A5 %EF%BC%95 %C2%B2 5n
  $5 0- --1 %20 9007199254740992 9007199254740993 18446744073709551616 ${'9'.repeat(20)} ${'9'.repeat(400)}`;

/** Texts that are never a calendar date YYYY-MM-DD. */
const noDays = `2023-02-29 1900-02-29 2100-02-29 2023-04-31 2023-13-01 2023-00-10 2023-01-00 2023-01-32
  2023-1-5 2023-01-5 20230105 23-01-05 0000-01-01 0000-00-00 10000-01-01 -2023-01-01 2023-01-05T00:00:00Z
  2023-01-05%20 %202023-01-05 2023-01-05%0A 2023/01/05 05.01.2023 2023-W01-1 2023-005 today now epoch
  infinity null 0 1672876800 2023-01-05%00 %D9%A2%D9%A0%D9%A2%D9%A3-01-05`;

const words = (text: string): string[] => ['', ...text.split(/\s+/)];

async function assertRefused(query: string, name: string): Promise<void> {
  const answer = await service.ask(`/v2/transactions?${query}`);
  assert.equal(answer.status, 400, query);
  const { message, errors } = errorsOf(answer);
  assert.equal(message, 'Request Validation Failure', query);
  assert.ok(
    errors.some((error) => error['instancePath'] === `/query/${name}`),
    `${query}: ${answer.text}`,
  );
  assert.match(String(errors[0]?.['errMsg']), new RegExp(name), query);
}

for (const [what, names, texts] of [
  ['not a plain integer', ['limit', 'offset'], words(noNumbers)],
  ['out of bounds', ['limit'], ['0', '2001', '10000', '9007199254740991']],
  ['not in the calendar', ['start_date', 'end_date'], words(noDays)],
] as const)
  test(`a ${names.join(' or ')} that is ${what} is refused and named, never clamped`, async () => {
    for (const name of names)
      for (const text of texts) await assertRefused(`${name}=${text}`, name);
  });

test('a range that ends before it starts is refused', async () => {
  await assertRefused('start_date=2024-03-02&end_date=2024-03-01', 'start_date');
  await assertRefused('start_date=9999-12-31&end_date=0001-01-01', 'start_date');
});

test('a repeated parameter is refused, also with equal values', async () => {
  for (const [name, value] of [
    ['limit', '5'],
    ['offset', '0'],
    ['start_date', '2024-01-01'],
    ['status', 'reviewed'],
    ['include_files', 'true'],
  ] as const) {
    const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
    for (const again of [name, `x&${encoded}`])
      await assertRefused(`${name}=${value}&${again}=${value}`, name);
  }
});

test('an unknown parameter is refused and named, by other operations too', async () => {
  const odd = 'limit[]=5 limit%5B%5D=5 limit[a]=5 offset[0]=5 Limit=5 limit%20=5 page=2 =5';
  const known = 'stat_date=2024-01-01 debit_as_negative=true __proto__=1 constructor=1 toString';
  for (const query of `${odd} ${known}`.split(' ')) {
    const answer = await service.ask(`/v2/transactions?${query}`);
    assert.equal(answer.status, 400, query);
    const [error] = errorsOf(answer).errors;
    assert.equal(error?.['instancePath'], '/query', query);
    assert.equal(error['keyword'], 'additionalProperties', query);
    const name = decodeURIComponent(query.replace(/=.*/, ''));
    assert.deepEqual(error['params'], { additionalProperty: name });
  }
  for (const target of ['/v2/me', '/v2/categories', '/v2/categories/1', '/v2/transactions/1'])
    assert.equal((await service.ask(`${target}?colour=red`)).status, 400, target);
});

test('HEAD returns the status and the headers of GET, without a body', async () => {
  for (const target of ['/v2/transactions?limit=3', '/v2/me', '/v2/transactions/999999', '/v2/x']) {
    const [get, head] = [await service.ask(target), await service.ask(target, { method: 'HEAD' })];
    assert.equal(head.status, get.status, target);
    assert.equal(header(head, 'Content-Length'), header(get, 'Content-Length'));
    assert.deepEqual(Object.keys(head.lines).toSorted(), Object.keys(get.lines).toSorted());
  }
});
