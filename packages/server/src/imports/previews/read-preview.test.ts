import assert from 'node:assert/strict';
import { closeSync, existsSync, readdirSync, readlinkSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openTemporary } from '../statement-file.ts';
import { openPreview } from './read-preview.ts';

const folder = '/proc/self/fd';
const skip = !existsSync(folder) && `missing: ${folder}`;

/** The temporary files that this process has open. */
function openFiles(): string[] {
  return readdirSync(folder).flatMap((name) => {
    try {
      const file = readlinkSync(`${folder}/${name}`);
      return /\/coffer-[\w-]{36} \(deleted\)$/.test(file) ? [file] : [];
    } catch {
      // It was that of the folder itself.
      return [];
    }
  });
}

test('a packed file that cannot be read leaves no unpacked file open', { skip }, async () => {
  const bytes = gzipSync('This is no statement');
  const packed = openTemporary();
  writeSync(packed, bytes);
  const before = openFiles();
  const memory = { settings: {}, notes: [], accounts: [], facts: { today: '2026-01-31' } };
  const opening = { onRead: () => undefined, memoryOf: () => Promise.resolve(memory) };
  await assert.rejects(openPreview(packed, bytes.length, {}, opening), { name: 'StatementError' });
  assert.deepEqual(openFiles(), before);
  closeSync(packed);
});
