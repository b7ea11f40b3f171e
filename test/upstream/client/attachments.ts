import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  AttachFileToTransactionBody,
  TransactionAttachment,
} from '@lunch-money/lunch-money-js-v2';
import { pngBytes } from '../../service/json-requests.ts';
import { refusal, type StartedClient } from './started-client.ts';

/** A form; the types of the client declare an object, which would be sent as JSON. */
function formOf(file: Blob): AttachFileToTransactionBody {
  const form = new FormData();
  form.append('file', file, 'receipt.png');
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
}
