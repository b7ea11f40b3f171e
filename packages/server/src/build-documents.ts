import { writeFileSync } from 'node:fs';
import { openApiText } from './wire/document/openapi.ts';
import { referenceText } from './wire/document/reference.ts';
import { described } from './resources/index.ts';

/** A checked-in file that is built from the declarations. */
export interface BuiltFile {
  readonly url: URL;
  /** The whole content; the same at every call. */
  readonly build: () => string;
}

/** The files that this script writes; a test fails when one of them is stale. */
export const builtFiles: readonly BuiltFile[] = [
  {
    url: new URL('../../../docs/openapi.json', import.meta.url),
    build: () => openApiText(described),
  },
  {
    url: new URL('../../../docs/reference/api.md', import.meta.url),
    build: () => referenceText(described),
  },
];

if (import.meta.main) for (const { url, build } of builtFiles) writeFileSync(url, build());
