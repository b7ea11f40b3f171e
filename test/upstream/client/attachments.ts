import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  AttachFileToTransactionBody,
  TransactionAttachment,
} from '@lunch-money/lunch-money-js-v2';
import { pngBytes } from '../../service/made-records.ts';
import { errorOf, refusal, type StartedClient } from './started-client.ts';

/** A form; the types of the client declare an object, which would be sent as JSON. */
function formOf(file: Blob | string): AttachFileToTransactionBody {
  const form = new FormData();
  if (typeof file === 'string') form.append('file', file);
  else form.append('file', file, 'receipt.png');
  form.append('notes', 'by the client');
  return form as unknown as AttachFileToTransactionBody;
}

/** Tests the methods of attachments. The client sends the form as `application/json`, without its boundary. */
export function testAttachments({ client }: StartedClient): void {
  test('it attaches a file, gets its address and deletes it', async () => {
    const transactions = [{ date: '2026-01-06', amount: 1, payee: 'With a receipt' }];
    const [row] = (await client.transactions.create({ transactions })).transactions;
    const file = new Blob([pngBytes], { type: 'image/png' });
    const sent = await client.transactions.attachFile(row!.id, formOf(file));
    const made = sent as Required<TransactionAttachment>;
    assert.deepEqual(
      [made.name, made.type, made.notes],
      ['receipt.png', 'image/png', 'by the client'],
    );
    assert.deepEqual((await client.transactions.get(row!.id)).files, [made]);
    const { url, expires_at: expiresAt } = await client.transactions.getAttachmentUrl(made.id);
    assert.ok(Date.parse(expiresAt) > Date.parse(made.created_at));
    const download = await fetch(url);
    assert.deepEqual(Buffer.from(await download.arrayBuffer()), pngBytes);
    await client.transactions.deleteAttachment(made.id);
    assert.equal((await fetch(url)).status, 404);
    const gone = [404, 'Not Found', [`File attachment ${made.id} not found`]];
    assert.deepEqual(await refusal(client.transactions.getAttachmentUrl(made.id)), gone);
    assert.deepEqual(await refusal(client.transactions.deleteAttachment(made.id)), gone);
  });

  test('it gets the reason why a file is refused', async () => {
    const { transactions } = await client.transactions.getAll({ limit: 1 });
    const { id } = transactions[0]!;
    const text = await errorOf(client.transactions.attachFile(id, formOf('a text')));
    assert.equal(text.status, 400);
    const html = new Blob(['<html>'], { type: 'image/png' });
    assert.equal((await errorOf(client.transactions.attachFile(id, formOf(html)))).status, 400);
    const image = new Blob([pngBytes], { type: 'image/png' });
    const none = await errorOf(client.transactions.attachFile(987_654, formOf(image)));
    assert.equal(none.status, 404);
    const json = await errorOf(client.transactions.attachFile(id, { file: 'receipt.png' }));
    assert.equal(json.status, 415);
  });
}
