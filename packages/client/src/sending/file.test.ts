import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError, createClient, MalformedResponseError, type ClientOptions } from '../index.ts';

/** Exports the book from a service with one response. */
async function exported(response: () => Response): Promise<File> {
  const fetch = (): Promise<Response> => Promise.resolve(response());
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', token: 't', fetch, maxAttempts: 1 });
  return await client.coffer.export();
}

describe('a file', () => {
  test('has the bytes and the type of the response', async () => {
    const bytes = Uint8Array.of(0, 255, 13, 10);
    const file = await exported(() => new Response(bytes, { headers: { 'content-type': 'a/b' } }));
    assert.deepEqual(new Uint8Array(await file.arrayBuffer()), bytes);
    assert.equal(file.type, 'a/b');
  });

  test('is asked for as any type, and sent with its name and options', async () => {
    const sent: { url: string; accept: unknown; body: unknown }[] = [];
    const fetch: ClientOptions['fetch'] = async (url, { headers, body }) => {
      sent.push({ url, accept: headers['Accept'], body });
      return url.includes('/export') ? new Response('x') : Response.json({ id: 1 });
    };
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', token: 't', fetch });
    await client.coffer.export();
    await client.coffer.imports.preview(new File(['a;b'], 'may.csv'), { currency: 'eur' });
    assert.deepEqual(
      sent.map(({ url, accept }) => [url.slice(18), accept]),
      [
        ['/coffer/export', '*/*'],
        ['/coffer/imports?currency=eur', 'application/json'],
      ],
    );
    const form = new TextDecoder().decode(sent[1]!.body as ArrayBuffer);
    assert.match(form, /name="file"; filename="may.csv"[^]*a;b/);
  });

  for (const [disposition, name] of [
    [`attachment; filename="a.csv"; filename*=UTF-8''caf%C3%A9%20%22.csv`, 'café ".csv'],
    [`attachment; filename*=utf-8''..%2F..%5Cetc%00`, '..-..-etc-'],
    [`attachment; filename*=UTF-8''%FF%zz`, '\ufffd'],
    [`attachment; filename*=UTF-8''`, 'file'],
    ['attachment', 'file'],
    [null, 'file'],
  ] as const)
    test(`is named ${JSON.stringify(name)} by ${disposition}`, async () => {
      const headers = disposition === null ? {} : { 'content-disposition': disposition };
      assert.equal((await exported(() => new Response('x', { headers }))).name, name);
    });

  test('is an error if it is not whole, or refused', async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (pulls++ === 0) controller.enqueue(Uint8Array.of(1));
        else controller.error(new Error('reset'));
      },
    });
    await assert.rejects(
      exported(() => new Response(body)),
      (error: Error) =>
        error instanceof MalformedResponseError && error.message.includes('the body was cut off'),
    );
    await assert.rejects(
      exported(() => Response.json({ message: 'Gone' }, { status: 400 })),
      (error: Error) => error instanceof ApiError && error.status === 400,
    );
  });
});
