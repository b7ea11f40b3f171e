import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endsWithFile } from '../../../../core/src/testing/ends.ts';

/** Creates a folder, which is removed after the tests of the file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-tests-'));
  endsWithFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
