import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { addOwner, inFolder, useStore } from '../service/owners.ts';
import { startServer } from '../service/server-process.ts';

const megabyte = 2 ** 20;
const mostMegabytes = 400;
const skip = !existsSync('/proc/self/status') && 'missing: /proc';

interface Sent {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

/** Sends the same upload many times at once. Returns how often each status came, with its Retry-After. */
async function sendMany(url: string, token: string, count: number, { path, type, body }: Sent) {
  const found: Record<string, number> = {};
  const note = (what: string) => (found[what] = (found[what] ?? 0) + 1);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': type,
    'content-length': body.length,
  };
  const send = () =>
    new Promise<void>((resolve) => {
      const sent = request(url + path, { method: 'POST', headers }, (response) => {
        note(`${response.statusCode} ${response.headers['retry-after'] ?? ''}`.trim());
        response.resume().once('close', resolve);
      });
      // The server has responded, and closed the connection while the rest was being sent.
      sent.once('error', () => resolve());
      sent.end(body);
    });
  await Promise.all(Array.from({ length: count }, send));
  return found;
}

/** A file of a bank that is a little smaller than the largest. */
function bankFile(): Buffer {
  const row = '2026-01-02,Shop number one and some text,-12.50\n';
  return Buffer.from(
    'Date,Payee,Amount\n' + row.repeat(Math.floor((49.9 * megabyte) / row.length)),
  );
}

function receipt(): Buffer {
  const head = 'Content-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.4\n';
  const content = Buffer.alloc(9.9 * megabyte, 'A');
  return Buffer.concat([Buffer.from(`--x\r\n${head}`), content, Buffer.from('\r\n--x--\r\n')]);
}

/** Starts a server, and gives its address, a token, and the most memory that it has used so far, in MB. */
async function serving(
  work: (url: string, token: string, peak: () => number) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const { token } = await useStore(database, (store) => addOwner(store, 'owner'));
    const limits = ['--rate-limit', '10000', '--coffer-rate-limit', '10000'];
    const server = await startServer({ database, flags: [...limits, '--log-level', 'error'] });
    const peak = () => {
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
    };
    try {
      await work(server.url, token, peak);
    } finally {
      await server.stop();
    }
  });
}

describe(
  '50 uploads at once stay under 400 MB, and those beyond the bound have to wait',
  { skip },
  () => {
    test('files of banks', () =>
      serving(async (url, token, peak) => {
        const type = 'application/octet-stream';
        const files = { path: '/coffer/imports', type, body: bankFile() };
        const found = await sendMany(url, token, 50, files);
        assert.ok(found['202']! > 0 && found['503 5']! > 0, JSON.stringify(found));
        assert.ok(peak() < mostMegabytes, `${peak()} MB`);
      }));

    test('files that are attached', () =>
      serving(async (url, token, peak) => {
        const made = await fetch(`${url}/v2/transactions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            transactions: [{ date: '2026-01-02', amount: '1.00', payee: 'x' }],
          }),
        });
        const { transactions } = (await made.json()) as { transactions: { id: number }[] };
        const path = `/v2/transactions/${transactions[0]!.id}/attachments`;
        const form = { path, type: 'multipart/form-data; boundary=x', body: receipt() };
        const found = await sendMany(url, token, 50, form);
        assert.ok(found['201']! > 0 && found['503 5']! > 0, JSON.stringify(found));
        assert.ok(peak() < mostMegabytes, `${peak()} MB`);
        assert.deepEqual(
          await sendMany(url, token, 1, form),
          { 201: 1 },
          'the bound is free again',
        );
      }));
  },
);
