import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPrivateHost } from './private-host.ts';

const privateHosts =
  '127.0.0.1 2130706433 0x7f.1 0177.0.0.1 127.0.0.1. 0.0.0.0 10.1.2.3 172.31.255.255 192.168.0.1 169.254.169.254 ' +
  '100.64.0.1 [::1] [::] [::ffff:127.0.0.1] [::ffff:a9fe:a9fe] [fd00::1] [fe80::1] [64:ff9b::7f00:1] ' +
  '[64:ff9b:1::7f00:1] [2002:7f00:1::] [::127.0.0.1] [fec0::1] [ff02::1] [2001::1] localhost a.localhost ' +
  'LOCALHOST. printer.local metadata.google.internal db';
const publicHosts =
  '8.8.8.8 172.32.0.1 192.169.0.1 100.128.0.1 [2606:4700::1111] [::ffff:8.8.8.8] [2a00:1450::1] ' +
  'bridge.simplefin.org localhost.example.com local.example';

test('private addresses are detected in every spelling, and public ones are not', () => {
  const isPrivate = (host: string): boolean => isPrivateHost(new URL(`http://${host}/`).hostname);
  for (const host of privateHosts.split(' ')) assert.ok(isPrivate(host), host);
  for (const host of publicHosts.split(' ')) assert.ok(!isPrivate(host), host);
});
