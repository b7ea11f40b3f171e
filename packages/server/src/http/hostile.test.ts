import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { exchange, parseAnswers, type WireAnswer } from './testing/test-connection.ts';
import { assertNoFaults, listen, makeTestApp, openapiBytes } from './testing/test-app.ts';
import { assertCounted, assertErrorFormatOf, assertUncounted } from './testing/test-answers.ts';
import { runs } from '../../../core/src/testing/length.ts';

const { app, ada, log } = await makeTestApp();
let port = 0;
before(async () => (port = await listen(app)));
after(() => app.close());

const document = JSON.parse(openapiBytes.toString()) as {
  paths: Record<string, Record<string, { parameters: { name: string; in: string }[] }>>;
};
const names = Object.values(document.paths)
  .flatMap((operations) => Object.values(operations))
  .flatMap(({ parameters }) => parameters.map(({ name }) => name));

/** Bytes that a request target may contain. */
const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Array.from('abz019%/?&=+.-_~:@[]{}#;,"\'\\|^`')) },
  fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
);
const garbage = fc.array(character, { maxLength: 40 }).map((all) => all.join(''));
const escaped = garbage.map((text) => encodeURIComponent(text));
const value = fc.oneof(
  garbage,
  escaped,
  fc.integer().map(String),
  fc.constantFrom('true', 'null', '2024-02-30'),
);
const parameter = fc
  .tuple(fc.oneof(fc.constantFrom(...names, '__proto__', 'limit[]'), garbage), value)
  .map(([name, text]) => `${name}=${text}`);
const query = fc.array(parameter, { maxLength: 6 }).map((all) => all.join('&'));
const known = ['/v2/transactions', '/v2/me', '/v2/categories', '/v2/crypto/synced', '/v1/me'];
const odd = ['/v2/crypto/synced/1/refresh', '/%76%32/me', '/', '/V2/me'];
const starts = ['/v2/', '/v1/', '/v2/transactions/', '/v2/crypto/synced/1/', '/', '//v2/'];
const path = fc.oneof(
  fc.constantFrom(...known, ...odd),
  fc.tuple(fc.constantFrom(...starts), garbage).map((parts) => parts.join('')),
);
const methods = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND'];
const method = fc.constantFrom(...methods);
const headerNames = [
  'X-Forwarded-For',
  'If-None-Match',
  'Accept',
  'Accept-Encoding',
  'Content-Type',
];
const moreNames = ['Cookie', 'Accept-Version', 'Range', 'Expect'];
const headerName = fc.constantFrom(...headerNames, ...moreNames);
const headerText = fc.array(character, { maxLength: 30 }).map((all) => all.join(' '));
const codings = fc
  .array(
    fc.oneof(
      fc.constantFrom('gzip', 'br', 'zstd', 'identity', '*', ';q=0', ';q=0.5', ',', ', '),
      headerText,
    ),
    { maxLength: 6 },
  )
  .map((parts) => `Accept-Encoding: ${parts.join('')}\r\n`);
const header = fc.oneof(
  fc.tuple(headerName, headerText).map(([name, text]) => `${name}: ${text}\r\n`),
  codings,
);
const headers = fc.array(header, { maxLength: 3 }).map((all) => all.join(''));
const valid = `Authorization: Bearer ${ada.token}\r\n`;
const token = fc.constantFrom(valid, 'Authorization: Bearer x\r\n', '');

async function ask(verb: string, target: string, more: string): Promise<WireAnswer> {
  const request = `${verb} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}\r\n`;
  const text = await exchange(port, request);
  // When the parser refuses a request, the method is not known, so the response has a body for HEAD too.
  const bodiless = verb === 'HEAD' && /\r\ndate:/i.test(text);
  const [answer, ...others] = parseAnswers(text, { bodiless });
  assert.deepEqual(others, []);
  assert.ok(answer, 'No response');
  return answer;
}

/** Whether the target is clearly under a prefix, or clearly not; other spellings are neither. */
const isPlainlyApi = (target: string) => /^\/v[12]\//.test(target);
const isPlainlyOutside = (target: string) => !/v[12]|%/i.test(target);

test('no target, header or query causes a 5xx, an unformatted error or an uncounted response', async () => {
  await fc.assert(
    fc.asyncProperty(method, path, query, headers, token, async (verb, base, text, more, line) => {
      const target = text === '' ? base : `${base}?${text}`;
      const { status, headers: lines, body } = await ask(verb, target, line + more);
      assert.ok(status < 500, String(status));
      const single = Object.fromEntries(
        Object.entries(lines).map(([name, all]) => [name, all.join()]),
      );
      const coding = lines['content-encoding']?.join();
      const answer = { statusCode: status, headers: single, body: decoded(coding, body) };
      if (status >= 400 && verb !== 'HEAD')
        assertErrorFormatOf(isUnparsed(lines) ? '' : target, answer);
      if (isUnparsed(lines)) {
        assert.equal(status, 400);
        return;
      }
      if (isPlainlyApi(target)) assertCounted(answer);
      if (isPlainlyOutside(target)) assertUncounted(answer);
    }),
    { numRuns: runs(1500), examples: [['GET', '/v1/me', '=%', '', valid]] },
  );
});

const decoders = { gzip: gunzipSync, zstd: zstdDecompressSync, br: brotliDecompressSync };

/** The text of a body; fails for a coding that is none, and for a body that is not in it. */
function decoded(coding: string | undefined, body: string): string {
  if (coding === undefined || body === '') return body;
  return decoders[coding as keyof typeof decoders](Buffer.from(body, 'latin1')).toString('latin1');
}

/** Node adds a Date to every response of an application, but not to responses of the parser. */
function isUnparsed(lines: WireAnswer['headers']): boolean {
  return lines['date'] === undefined;
}

test('none of these requests was logged as a warning or an error', () => assertNoFaults(log));
