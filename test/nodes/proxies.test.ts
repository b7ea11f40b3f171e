import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  makeCertificate,
  noOpenssl,
} from '../../packages/server/src/limiter/testing/certificates.ts';
import { freePort, listenHere } from '../../packages/core/src/testing/starts.ts';
import { ask } from '../service/ask.ts';
import { addOwner, inFolder, useStore } from '../service/owners.ts';
import { startServer } from '../service/server-process.ts';
import { until } from './nodes.ts';
import { proxies, replaced, skipWithout, withProxy, type Proxy } from './proxies.ts';

interface ErrorBody {
  readonly message: string;
  readonly errors: readonly { readonly errMsg: string }[];
}

interface RecordedRequest extends Pick<IncomingMessage, 'headers' | 'socket'> {
  readonly method: string;
  readonly target: string;
}

type RecordingNode = Awaited<ReturnType<typeof startRecordingNode>>;

type Answering = (response: ServerResponse) => void;

const well: Answering = (response) => response.end('well');
const dying: Answering = (response) => response.socket?.destroy();
/** As a stopping node does. */
const stopping: Answering = (response) => response.writeHead(503).end('stopping');

/** Takes the place of a node and records what a proxy sends, except requests for `/readyz`. */
async function startRecordingNode(answer: Answering) {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const { method = '', url: target = '', headers, socket } = request;
    if (target === '/readyz') response.end('ready');
    else {
      requests.push({ method, target, headers, socket });
      request.once('end', () => answer(response));
    }
  });
  return { ...(await listenHere(server)), requests };
}

for (const [name, startProxy] of Object.entries(proxies)) {
  describe(
    `${name} with the configuration in deploy/`,
    { skip: skipWithout(name), timeout: 300_000 },
    () => {
      const withNodes = async (
        answers: readonly [Answering, Answering],
        body: (proxy: Proxy, nodes: readonly [RecordingNode, RecordingNode]) => Promise<void>,
      ): Promise<void> => {
        const nodes = [
          await startRecordingNode(answers[0]),
          await startRecordingNode(answers[1]),
        ] as const;
        try {
          const ports = nodes.map(({ port }) => port);
          await withProxy(startProxy(ports), (proxy) => body(proxy, nodes));
        } finally {
          await Promise.all(nodes.map((node) => node.close()));
        }
      };
      const seen = (nodes: readonly RecordingNode[], method: string): number =>
        nodes.flatMap(({ requests }) => requests).filter((one) => one.method === method).length;

      for (const [how, answer] of Object.entries({ dies: dying, stops: stopping })) {
        test(`repeats a read on another node when the first one ${how}`, () =>
          withNodes([answer, well], async ({ url }, nodes) => {
            for (let n = 0; n < 6; n += 1) assert.equal((await ask(`${url}/v2/me`)).text, 'well');
            assert.ok(seen([nodes[0]], 'GET') > 0, 'the first node got requests, too');
          }));

        test(`does not repeat a write when the first node ${how}`, () =>
          withNodes([answer, answer], async ({ url }, nodes) => {
            const { status } = await ask(`${url}/v2/transactions`, { method: 'POST', body: '{}' });
            assert.equal(status, how === 'dies' ? 502 : 503);
            assert.equal(seen(nodes, 'POST'), 1);
          }));
      }

      test('sends a write to another node when the first one accepts no connection', () =>
        withNodes([well, well], async ({ url }, [gone, other]) => {
          await gone.close();
          for (let n = 0; n < 6; n += 1) {
            const { status } = await ask(`${url}/v2/transactions`, { method: 'POST', body: '{}' });
            assert.equal(status, 200);
          }
          assert.equal(seen([other], 'POST'), 6);
        }));

      test('sends the address of the client, and none that the client wrote', () =>
        withNodes([well, well], async ({ url }, nodes) => {
          for (const method of ['GET', 'POST']) {
            const headers = {
              'x-forwarded-for': '203.0.113.7',
              'X-FORWARDED-FOR': '203.0.113.8',
              forwarded: 'for=203.0.113.9',
              'x-real-ip': '203.0.113.10',
            };
            await ask(`${url}/v2/me`, { method, headers, from: '127.7.8.9' });
          }
          const requests = nodes.flatMap((node) => node.requests);
          assert.equal(requests.length, 2);
          for (const { headers } of requests) {
            assert.equal(headers['x-forwarded-for'], '127.7.8.9');
            assert.deepEqual([headers['forwarded'], headers['x-real-ip']], [undefined, undefined]);
          }
        }));

      test('passes on path, query and token unchanged', () =>
        withNodes([well, well], async ({ url }, nodes) => {
          const target = '/v2/%74ransactions//a?payee=%2F..%2f&b=%C3%A4+c';
          await ask(url + target, { token: 'a-token' });
          const [found, ...others] = nodes.flatMap((node) => node.requests);
          assert.deepEqual([found?.target, others], [target, []]);
          assert.equal(found?.headers['authorization'], 'Bearer a-token');
        }));

      test('keeps connections for reads, and opens a new one for each write', () =>
        withNodes([well, well], async ({ url }, nodes) => {
          for (let n = 0; n < 20; n += 1) {
            await ask(`${url}/v2/me`);
            await ask(`${url}/v2/me`, { method: 'POST', body: '{}' });
          }
          const requests = nodes.flatMap((node) => node.requests);
          const connectionsOf = (method: string): number =>
            new Set(requests.filter((one) => one.method === method).map((one) => one.socket)).size;
          assert.equal(connectionsOf('POST'), 20);
          // Each worker of a proxy keeps its own connections.
          assert.ok(connectionsOf('GET') <= 8, `${connectionsOf('GET')} connections for 20 reads`);
        }));

      test('works with one node when the lines of the second are deleted', async () => {
        const node = await startRecordingNode(well);
        const gone = await freePort();
        const lines = new RegExp(`^ *server (node2|127\\.0\\.0\\.1:${gone}) .*\\n`, 'gm');
        const one = (configuration: string): string => {
          assert.equal(configuration.match(lines)?.length, 2);
          return configuration.replaceAll(lines, '');
        };
        try {
          await withProxy(startProxy([node.port, gone], one), async ({ url }) => {
            for (const method of ['GET', 'POST', 'GET', 'POST'])
              assert.equal((await ask(`${url}/v2/me`, { method })).status, 200);
          });
        } finally {
          await node.close();
        }
      });

      test('logs no query', () =>
        withNodes([well, well], async (proxy) => {
          await ask(`${proxy.url}/v2/transactions?payee=Dentist`);
          await until(() => proxy.log().length > 0, 'the request is logged');
          assert.doesNotMatch(proxy.text(), /Dentist|payee/);
          assert.match(proxy.text(), /GET \/v2\/transactions 200/);
        }));

      test('returns an error in the format of the service when there is no node', async () => {
        const ports = [await freePort(), await freePort()];
        await withProxy(startProxy(ports), async ({ url }) => {
          for (const method of ['GET', 'POST']) {
            const { status, text, headers } = await ask(`${url}/v2/me`, { method });
            assert.ok(status === 502 || status === 503, `${status}`);
            assert.match(headers['content-type'] ?? '', /^application\/json/);
            assert.equal(headers['retry-after'], '1');
            const { message, errors, ...rest } = JSON.parse(text) as ErrorBody;
            assert.equal(typeof message, 'string');
            assert.ok(errors.length === 1 && errors[0]?.errMsg);
            assert.deepEqual(rest, {});
          }
        });
      });

      test('leaves it to the node to refuse what is too large', () =>
        inFolder(async (folder) => {
          const database = join(folder, 'coffer.db');
          const { token } = await useStore(database, (engine) => addOwner(engine, 'owner'));
          const node = await startServer({ database, flags: ['--log-level', 'silent'] });
          try {
            await withProxy(startProxy([node.port, node.port]), async ({ url }) => {
              const isUp = async (): Promise<boolean> =>
                (await ask(`${url}/healthz`)).status === 200;
              await until(isUp, 'the proxy finds the node');
              const large = { method: 'POST', token, body: 'a'.repeat(1_500_000) };
              const body = await ask(`${url}/v2/crypto/synced/1/refresh`, large);
              const headers = { 'x-a': 'a'.repeat(20_000) };
              const header = await ask(`${url}/v2/me`, { token, headers });
              assert.deepEqual([body.status, header.status], [413, 431]);
              for (const { text } of [body, header])
                assert.ok((JSON.parse(text) as ErrorBody).errors[0]?.errMsg);
            });
          } finally {
            await node.end('SIGTERM');
          }
        }));

      test('accepts TLS with the lines marked for it', { skip: noOpenssl }, async () => {
        const folder = mkdtempSync(join(tmpdir(), 'coffer-tls-'));
        const node = await startRecordingNode(well);
        const port = await freePort();
        const { certificateFile, keyFile, authority } = makeCertificate(folder, 'IP:127.0.0.1');
        const texts = [certificateFile, keyFile].map((file) => readFileSync(file, 'utf8'));
        const asInFile = {
          'fullchain-and-key.pem': texts.join(''),
          'fullchain.pem': texts[0]!,
          'privkey.pem': texts[1]!,
        };
        for (const [file, text] of Object.entries(asInFile))
          writeFileSync(join(folder, file), text);
        // The proxy runs as another user.
        chmodSync(folder, 0o755);
        const withTls = (configuration: string): string =>
          replaced(configuration.replaceAll(/^( *)# tls: /gm, '$1'), {
            '/etc/coffer/tls': folder,
            [name === 'nginx' ? 'listen 443 ' : 'bind :443 ']:
              `${name === 'nginx' ? 'listen' : 'bind'} 127.0.0.1:${port} `,
          });
        try {
          await withProxy(startProxy([node.port, node.port], withTls), async () => {
            assert.equal(await textBy(`https://127.0.0.1:${port}/v2/me`, authority), 'well');
          });
        } finally {
          await node.close();
          rmSync(folder, { recursive: true });
        }
      });
    },
  );
}

function textBy(url: string, ca: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asked = request(url, { ca, agent: false }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    response.once('end', () => resolve(text));
  });
  asked.once('error', reject);
  asked.end();
  return promise;
}
