/*
 * Writes the types of the API document to src/openapi-types.ts: `node packages/client/build/types.ts`.
 *
 * The file is checked in; a test fails when the document says something else.
 */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const documentUrl = new URL('../../../docs/openapi.json', import.meta.url);
/** Where the types lie. */
export const typesUrl = new URL('../src/openapi-types.ts', import.meta.url);

const head = `/*
 * What the API document says, as types. Made by build/types.ts from docs/openapi.json: not to be edited.
 */
/* eslint-disable @typescript-eslint/consistent-indexed-object-style -- the generator's way */
`;
/** What the client takes of the types, with a sentence for each. */
const taken: Readonly<Record<string, string>> = {
  components: 'The records of the service, by their names.',
  operations:
    'The operations of the service, by their ids, with what they take and what they answer.',
};

interface Operation {
  responses: Record<string, { headers?: unknown }>;
}

interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, unknown>;
}

/** The types of the API document, as they are to lie in the tree. */
export async function makeTypes(): Promise<string> {
  const document = JSON.parse(await readFile(documentUrl, 'utf8')) as OpenApiDocument;
  const nodes = await openapiTS(JSON.stringify(successesOf(document)));
  const interfaces = nodes.map((node) => astToString(node)).flatMap(documented);
  return formatted(head + interfaces.join('\n'));
}

/** The document without errors and headers, which the client knows by itself. */
function successesOf({ components, paths, ...document }: OpenApiDocument): object {
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const { 200: success } = operation.responses;
    operation.responses = success === undefined ? {} : { 200: { ...success, headers: undefined } };
  }
  return { ...document, paths, components: { schemas: components['schemas'] } };
}

function documented(text: string): string[] {
  const name = /^export interface (\w+)/.exec(text)?.[1] ?? '';
  const sentence = taken[name];
  return sentence === undefined ? [] : [`/** ${sentence} */\n${text}`];
}

/** As the formatter of the whole tree would leave it. */
function formatted(input: string): string {
  const prettier = fileURLToPath(
    new URL('../../../node_modules/prettier/bin/prettier.cjs', import.meta.url),
  );
  const args = [prettier, '--stdin-filepath', fileURLToPath(typesUrl)];
  return execFileSync(process.execPath, args, { input, encoding: 'utf8', timeout: 60_000 });
}

if (import.meta.main) await writeFile(typesUrl, await makeTypes());
