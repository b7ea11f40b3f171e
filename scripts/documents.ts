import { mkdirSync, writeFileSync } from 'node:fs';
import { openApiText } from '../packages/server/src/wire/document/openapi.ts';
import { referencePages } from './reference/pages.ts';
import { described } from '../packages/server/src/resources/index.ts';

const docs = new URL('../docs/', import.meta.url);
/** The folder of the API reference. */
export const referenceFolder = new URL('reference/api/', docs);

/** A checked-in file that is generated from the declarations. */
export interface BuiltFile {
  readonly url: URL;
  readonly text: string;
}

/** Returns the files that this script writes; a test fails when one of them is stale. */
export function buildFiles(): BuiltFile[] {
  return [
    { url: new URL('openapi.json', docs), text: openApiText(described) },
    ...[...referencePages(described)].map(([name, text]) => ({
      url: new URL(name, referenceFolder),
      text,
    })),
  ];
}

if (import.meta.main) {
  mkdirSync(referenceFolder, { recursive: true });
  for (const { url, text } of buildFiles()) writeFileSync(url, text);
}
