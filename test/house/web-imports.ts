/** Files of the browser UI that keep every rule, each with its imports. */
export const cleanWeb: Readonly<Record<string, string[]>> = {
  'packages/client/src/openapi-types.ts': [],
  'packages/web/src/main.tsx': ['react', '@tanstack/react-query', './shell/app.tsx'],
  'packages/web/src/books/money.ts': ['@coffer/core'],
  'packages/web/src/books/money.test.ts': ['node:test', 'fast-check', './money.ts'],
  'packages/web/src/texts/plural.ts': [],
  'packages/web/src/api/request.ts': [
    'react',
    '@tanstack/react-query',
    '../books/money.ts',
    '../../../client/src/openapi-types.ts',
  ],
  'packages/web/src/parts/money.tsx': [
    'react',
    'react-aria-components',
    '../books/money.ts',
    '../texts/plural.ts',
  ],
  'packages/web/src/screens/list.tsx': [
    'react',
    '@tanstack/react-query',
    'react-aria-components',
    'wouter',
    '../api/request.ts',
    '../parts/money.tsx',
  ],
  'packages/web/src/shell/app.tsx': ['../screens/list.tsx', 'wouter'],
};

/** One violation per line: the rule, the file that breaks it, and its import. */
export const plantedWeb: readonly [rule: string, file: string, imports: string][] = [
  ['web-imports-core-and-types', 'packages/web/src/screens/a.ts', '@coffer/server'],
  ['web-imports-core-and-types', 'packages/web/src/screens/b.tsx', '@coffer/client'],
  ['web-runs-in-browsers', 'packages/web/src/api/c.ts', 'node:fs'],
  ['web-books-imports', 'packages/web/src/books/a.ts', '../api/request.ts'],
  ['web-texts-imports', 'packages/web/src/texts/a.ts', '../books/money.ts'],
  ['web-api-imports', 'packages/web/src/api/a.ts', '../parts/money.tsx'],
  ['web-parts-imports', 'packages/web/src/parts/a.tsx', '../api/request.ts'],
  ['browser-libraries-only-in-web', 'packages/web/src/books/r.ts', 'react'],
  ['browser-libraries-only-in-web', 'packages/server/src/http/r2.ts', 'wouter'],
  [
    'cache-library-only-where-data-is-read',
    'packages/web/src/parts/q.tsx',
    '@tanstack/react-query',
  ],
  [
    'component-library-only-in-parts-and-screens',
    'packages/web/src/shell/r.tsx',
    'react-aria-components',
  ],
];
