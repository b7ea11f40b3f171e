import { readSync } from 'node:fs';
import { isZip } from '@coffer/core/zip';

/** Whether an open file is packed: with gzip, or in a ZIP archive. Loads no reader. */
export function isPacked(file: number): boolean {
  const head = Buffer.alloc(4);
  readSync(file, head, 0, head.length, 0);
  return (head[0] === 0x1f && head[1] === 0x8b) || isZip(head);
}
