import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Check } from './run/check.ts';

const files = globSync('*/f[0-9][0-9]-*.ts', { cwd: import.meta.dirname });

export const checks: readonly Check[] = await Array.fromAsync(
  files.toSorted((one, other) => (basename(one) < basename(other) ? -1 : 1)),
  async (file) => {
    const module = (await import(join(import.meta.dirname, file))) as { readonly check: Check };
    return module.check;
  },
);
