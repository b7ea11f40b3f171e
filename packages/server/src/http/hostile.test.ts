import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { assertCounted, assertUncounted } from './testing/test-answers.ts';
import { listen, makeTestApp, openapiBytes } from './testing/test-app.ts';
import { closing, exchange, parseAnswers } from './testing/test-connection.ts';

const { app, ada, log } = await makeTestApp();
let port = 0;
before(async () => (port = await listen(app)));

const names = [...openapiBytes.toString().matchAll(/"name": "(\w+)",\s+"in": "query"/g)];
/** Bytes that a request target may contain. */
const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Array.from('abz019%/?&=+.-_~:@[]{}#;,"\'\\|^`')) },
  fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
);
const garbage = fc.array(character, { maxLength: 40 }).map((all) => all.join(''));
const name = fc.constantFrom(...names.map(([, each]) => each!), '__proto__', 'limit[]');
const value = fc.oneof(garbage, garbage.map(encodeURIComponent), fc.integer().map(String));
const parameter = fc.tuple(fc.oneof(name, garbage), value).map((pair) => pair.join('='));
const query = fc.array(parameter, { maxLength: 6 }).map((all) => all.join('&'));
const known = ['/v2/transactions', '/v2/me', '/v2/crypto/synced', '/v1/me', '/%76%32/me', '/V2/me'];
const starts = fc.constantFrom('/v2/', '/v1/', '/v2/transactions/', '/coffer/', '/', '//v2/');
const made = fc.tuple(starts, garbage).map((parts) => parts.join(''));
const path = fc.oneof(fc.constantFrom(...known), made);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND');
const field = fc.constantFrom(
  'X-Forwarded-For',
  'If-None-Match',
  'Accept',
  'Content-Type',
  'Cookie',
  'Range',
  'Expect',
);
const header = fc.tuple(field, garbage).map(([each, text]) => `${each}: ${text}\r\n`);
const headers = fc.array(header, { maxLength: 3 }).map((all) => all.join(''));
const valid = `Authorization: Bearer ${ada.token}\r\n`;
const token = fc.constantFrom(valid, 'Authorization: Bearer x\r\n', '');

/** Of v2 and Coffer, and of v1. */
const formats = [
  /^\{"message":".+","errors":\[\{.*"errMsg":"/,
  /^\{"(error|errors|message|name)":/,
];

test('no target, header or query causes a 5xx, an unformatted error or an uncounted response', async () => {
  await fc.assert(
    fc.asyncProperty(method, path, query, headers, token, async (verb, base, text, more, line) => {
      const target = text === '' ? base : `${base}?${text}`;
      const head = `${verb} ${target} HTTP/1.1\r\nHost: a\r\n${closing}${line}${more}\r\n`;
      const received = await exchange(port, head);
      // The parser refuses without a Date; then the method is not known, and HEAD has a body too.
      const isParsed = /\r\ndate:/i.test(received);
      const bodiless = verb === 'HEAD' && isParsed;
      const [{ status, headers: lines, body } = assert.fail('No response'), ...others] =
        parseAnswers(received, { bodiless });
      assert.deepEqual([others, status < 500], [[], true], String(status));
      const isOfV1 = isParsed && /^\/(v|%76)(1|%31)\//i.test(target);
      if (status >= 400 && !bodiless) assert.match(body, formats[isOfV1 ? 1 : 0]!);
      if (!isParsed) assert.equal(status, 400);
      const single = Object.entries(lines).map(([each, all]) => [each, all.join()] as const);
      const answer = { statusCode: status, headers: Object.fromEntries(single), body };
      if (isParsed && /^\/v[12]\//.test(target)) assertCounted(answer);
      if (isParsed && !/v[12]|%|coffer/i.test(target)) assertUncounted(answer);
    }),
    { numRuns: runs(1500), examples: [['GET', '/v1/me', '=%', '', valid]] },
  );
  const faults = log.filter((each) => (JSON.parse(each) as { level: number }).level >= 40);
  assert.deepEqual(faults, [], 'none was logged as a warning or an error');
});
