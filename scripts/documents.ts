import { writeFileSync } from 'node:fs';
import { openApiText } from '../packages/server/src/operations/document/openapi.ts';
import { boundsModule } from './reference/bounds.ts';
import { compatibilityPage } from './reference/compatibility.ts';
import { described, describedCoffer, describedV1 } from '../packages/server/src/all.ts';

const docs = new URL('../docs/', import.meta.url);

/** A checked-in file that is generated from the declarations. */
export interface BuiltFile {
  readonly url: URL;
  readonly text: string;
}

/** Returns the files that this script writes; a test fails when one of them is stale. */
export function buildFiles(): BuiltFile[] {
  return [
    { url: new URL('openapi.json', docs), text: openApiText(described()) },
    { url: new URL('openapi-v1.json', docs), text: openApiText(describedV1()) },
    { url: new URL('coffer-openapi.json', docs), text: openApiText(describedCoffer()) },
    { url: new URL('reference/compatibility.md', docs), text: compatibilityPage() },
    { url: new URL('../packages/web/src/api/bounds.ts', docs), text: boundsModule() },
  ];
}

if (import.meta.main) for (const { url, text } of buildFiles()) writeFileSync(url, text);
