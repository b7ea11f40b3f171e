import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { openApiText, type Interface } from '../packages/server/src/wire/document/openapi.ts';
import { compatibilityPage } from './reference/compatibility.ts';
import { referencePages } from './reference/pages.ts';
import { described, describedCoffer, describedV1 } from '../packages/server/src/resources/index.ts';

const docs = new URL('../docs/', import.meta.url);
/** The folder of the reference of the v2 API. */
export const referenceFolder = new URL('reference/api/', docs);
/** The folder of the reference of the v1 API. */
const referenceFolderV1 = new URL('reference/v1-api/', docs);
/** The folder of the reference of Coffer's own API. */
export const cofferReferenceFolder = new URL('reference/coffer-api/', docs);

/** A checked-in file that is generated from the declarations. */
export interface BuiltFile {
  readonly url: URL;
  readonly text: string;
}

/** Returns the files that this script writes; a test fails when one of them is stale. */
export function buildFiles(): BuiltFile[] {
  return [
    ...filesOf(described, 'openapi.json', referenceFolder),
    ...filesOf(describedV1, 'openapi-v1.json', referenceFolderV1),
    ...filesOf(describedCoffer, 'coffer-openapi.json', cofferReferenceFolder),
    { url: new URL('reference/compatibility.md', docs), text: compatibilityPage() },
  ];
}

function filesOf(source: Interface, document: string, folder: URL): BuiltFile[] {
  return [
    { url: new URL(document, docs), text: openApiText(source) },
    ...[...referencePages(source)].map(([name, text]) => ({ url: new URL(name, folder), text })),
  ];
}

if (import.meta.main) {
  for (const folder of [referenceFolder, referenceFolderV1, cofferReferenceFolder]) {
    // A page of a tag that no longer exists must not stay.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  for (const { url, text } of buildFiles()) writeFileSync(url, text);
}
