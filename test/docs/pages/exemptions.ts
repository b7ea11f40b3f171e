import type { Block } from './page.ts';

/** Blocks that are not run, and why. */
export interface Exemption {
  readonly page: string;
  /** Text that only these blocks have. */
  readonly words: string;
  readonly reason: string;
}

export const exemptions: readonly Exemption[] = [];

const command = (code: string): Block => ({
  language: 'sh',
  code: `${code}\n`,
  line: 0,
  isOutput: false,
});

/** Pages that continue where the guide's first page ends: the server is running. */
const continued: Readonly<Record<string, string>> = {
  'docs/guide/importing.md': 'npm start',
  'docs/guide/exporting.md': 'npm start',
  'docs/guide/client.md': 'npm start',
  'docs/guide/crypto.md': 'npm start',
  'docs/guide/categories-and-tags.md': 'npm start -- --demo',
  'docs/guide/clients.md': 'npm start -- --demo',
  'docs/guide/reading-transactions.md': 'npm start -- --demo',
  'docs/guide/for-client-makers.md': 'npm start -- --demo',
};

/** What was done before the first block of a page. */
export function startedBefore(page: string): readonly Block[] {
  const start = continued[page];
  return start === undefined ? [] : [command(start)];
}
