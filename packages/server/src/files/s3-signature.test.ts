import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode, queryText, signedHeaders, signedTarget } from './s3-signature.ts';

/** The example of Amazon's documentation of Signature Version 4 for S3. */
const signer = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const request = {
  ...{ method: 'GET', host: 'examplebucket.s3.amazonaws.com', path: '/test.txt' },
  ...{ query: {}, atMs: Date.UTC(2013, 4, 24) },
};
const signatureOf = (text = '') => /Signature=([0-9a-f]{64})(?:&|$)/.exec(text)?.[1];

test('requests have the signatures of the documentation', () => {
  const none = new Uint8Array();
  const get = signedHeaders(signer, request, none, { range: 'bytes=0-9' });
  assert.equal(
    signatureOf(get['authorization']),
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
  assert.equal(get['x-amz-date'], '20130524T000000Z');
  const put = signedHeaders(
    signer,
    { ...request, method: 'PUT', path: '/test%24file.text' },
    Buffer.from('Welcome to Amazon S3.'),
    {
      ...{ date: 'Fri, 24 May 2013 00:00:00 GMT' },
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
  );
  assert.equal(
    signatureOf(put['authorization']),
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  );
  const query = { prefix: 'J', 'max-keys': '2' };
  const list = signedHeaders(signer, { ...request, path: '/', query }, none);
  assert.equal(
    signatureOf(list['authorization']),
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  );
});

test('a link has the signature of the documentation', () => {
  const target = signedTarget(signer, request, 86_400);
  assert.ok(target.startsWith('/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential='));
  assert.equal(
    signatureOf(target),
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test('a query is sorted and encoded, bytes outside of ASCII too', () => {
  assert.equal(
    queryText({ b: '*é', 'a b': "!'()", 'a/': '~-._' }),
    'a%20b=%21%27%28%29&a%2F=~-._&b=%2A%C3%A9',
  );
  assert.equal(encode('a+b&c=d'), 'a%2Bb%26c%3Dd');
});
