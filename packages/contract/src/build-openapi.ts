import { writeFileSync } from 'node:fs';
import { openApiDocument } from './openapi.ts';
import { referenceText } from './reference.ts';

/** A checked-in file that is built from the contract. */
export interface BuiltFile {
  readonly url: URL;
  /** The whole content; the same at every call. */
  readonly build: () => string;
}

/** The files that this script writes; a test fails when one of them is stale. */
export const builtFiles: readonly BuiltFile[] = [
  {
    url: new URL('../../../docs/openapi.json', import.meta.url),
    build: () => `${JSON.stringify(openApiDocument(), null, 2)}\n`,
  },
  { url: new URL('../../../docs/reference/api.md', import.meta.url), build: referenceText },
];

if (import.meta.main) for (const { url, build } of builtFiles) writeFileSync(url, build());
