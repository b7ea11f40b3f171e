import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf, parseRedisUrl } from './redis-url.ts';

const single = {
  servers: [{ host: 'cache', port: 6379 }],
  isCluster: false,
  isTls: false,
  username: '',
  password: '',
  database: 0,
};

test('a Redis URL has hosts, a user, a password and a database', () => {
  const of = (host: string, port = 6379) => ({ host, port });
  for (const [text, expected] of [
    ['redis://cache', {}],
    ['redis://cache/', {}],
    ['redis://cache:7000/12', { servers: [of('cache', 7000)], database: 12 }],
    ['rediss://cache', { isTls: true }],
    ['redis://[2001:db8::1]:7000', { servers: [of('2001:db8::1', 7000)] }],
    ['redis://:secret@cache', { password: 'secret' }],
    ['redis://coffer:p%40ss%2F%25@cache', { username: 'coffer', password: 'p@ss/%' }],
    ['redis://cache?cluster', { isCluster: true }],
    [
      'rediss://coffer:secret@a:1/0, rediss://b:2, rediss://coffer:secret@c',
      {
        isCluster: true,
        isTls: true,
        username: 'coffer',
        password: 'secret',
        servers: [of('a', 1), of('b', 2), of('c')],
      },
    ],
  ] as const)
    assert.deepEqual(parseRedisUrl(text), { ...single, ...expected }, text);
  assert.equal(parseRedisUrl(''), null);
  const address = parseRedisUrl('redis://coffer:hunter2@a,redis://[::1]:7');
  assert.equal(nameOf(address!), 'a:6379, [::1]:7', 'it is shown without its password');
});

test('another Redis URL is refused, and nothing is quoted that could be a password', () => {
  for (const [text, complaint] of [
    ['hunter2', /use redis:\/\/HOST:PORT/],
    ['http://u:hunter2@cache', /with the scheme "http"/],
    ['redis:hunter2', /with the scheme "redis"/],
    ['redis://', /with the scheme "redis"/],
    ['redis://cache:hunter2', /use redis:\/\/HOST:PORT/],
    ['redis://a,,redis://b', /with the scheme ""/],
    ['redis://:hunter2@a/x', /database number/],
    ['redis://:hunter2@a/1/2', /database number/],
    ['redis://:hunter2@a?family=6', /only the parameter \?cluster/],
    ['redis://:hunter2@a#hunter2', /no fragment/],
    ['redis://hunter2@a', /a user but no password/],
    ['redis://:hunter2%zz@a', /as %25/],
    ['redis://:hunter2@a/1?cluster', /only one database/],
    ['redis://:hunter2@a,rediss://b', /same scheme/],
    ['redis://:hunter2@a,redis://:hunter3@b', /same user and password/],
    ['redis://a,redis://:hunter2@b', /same user and password/],
  ] as const)
    assert.throws(
      () => parseRedisUrl(text),
      ({ message }: Error) => complaint.test(message) && !/hunter[23]/.test(message),
      text,
    );
});
