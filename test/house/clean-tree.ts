export const SERVER = 'packages/server/src';

/** Files of `packages`, each with its imports, which may continue on an indented line. */
const tree = `
core/src/index.ts node:util
core/src/index.test.ts ./index.ts fast-check
statements/src/index.ts node:zlib @coffer/core
statements/src/index.test.ts node:fs ./index.ts fast-check
server/src/wire/schema.ts typebox node:crypto @coffer/core
server/src/wire/request/request-reader.ts ajv ../schema.ts
server/src/db/engine.ts sql-template-tag
server/src/db/tables.ts @coffer/core
server/src/db/writes.ts ./engine.ts
server/src/db/sqlite/sqlite.ts better-sqlite3 ../engine.ts node:fs
server/src/db/postgres/postgres.ts pg pg-copy-streams ../engine.ts
server/src/db/sqlite/sqlite.test.ts ./sqlite.ts ../testing/books.ts fast-check
server/src/db/testing/books.ts ../../main.ts fast-check
server/src/changes/changing.ts sql-template-tag ../db/engine.ts ../db/writes.ts
server/src/pages/pages.ts sql-template-tag ../db/engine.ts @coffer/core
server/src/resources/operation.ts ../wire/schema.ts ../changes/changing.ts
server/src/resources/tags/schema.ts typebox ../../wire/schema.ts
server/src/resources/tags/rules.ts ./schema.ts ../../db/tables.ts ../../wire/schema.ts
  @coffer/core
server/src/resources/tags/actions.ts sql-template-tag ./rules.ts ../../db/engine.ts
  ../../changes/changing.ts
server/src/resources/tags/routes.ts ./actions.ts ./schema.ts ../operation.ts
  ../users/actions.ts ../users/rules.ts ../../pages/pages.ts ../../connectors/kraken.ts
  ../../files/store.ts
server/src/resources/users/actions.ts ../../changes/changing.ts
server/src/resources/users/rules.ts @coffer/core
server/src/resources/users/token.ts node:crypto
server/src/resources/index.ts ./tags/routes.ts
server/src/connectors/kraken.ts node:https @noble/hashes/sha3.js ../resources/users/rules.ts
  @coffer/core
server/src/imports/import.ts sql-template-tag ../resources/tags/actions.ts
  ../changes/changing.ts ../db/engine.ts ../wire/schema.ts
server/src/jobs/rates/rates-job.ts ../../connectors/kraken.ts ../../changes/changing.ts
  ../../db/engine.ts ../../imports/import.ts ../../resources/tags/actions.ts
  ../../resources/users/rerate.ts
server/src/resources/users/rerate.ts ../../changes/changing.ts ../tags/sql.ts
server/src/resources/tags/sql.ts ../../db/engine.ts
server/src/demo/fill.ts ../resources/tags/actions.ts ../changes/changing.ts
server/src/maintenance/backup.ts better-sqlite3 ../db/writes.ts node:fs
server/src/files/store.ts node:crypto @coffer/core
server/src/limiter/limiter.ts node:net
server/src/limiter/redis.ts ioredis ./limiter.ts
server/src/http/app.ts fastify @scalar/fastify-api-reference prom-client ../resources/index.ts
  ../wire/schema.ts ../db/engine.ts ../limiter/limiter.ts @coffer/core
server/src/http/api.ts typebox ../pages/pages.ts
server/src/http/app.test.ts ./app.ts ../db/sqlite/sqlite.ts @lunch-money/v2-api-spec
server/src/config.ts node:fs @coffer/core
server/src/main.ts ./config.ts ./http/app.ts ./limiter/redis.ts
  ./db/sqlite/sqlite.ts ./db/postgres/postgres.ts ./connectors/kraken.ts ./imports/import.ts
  ./jobs/rates/rates-job.ts ./maintenance/backup.ts ./demo/fill.ts
client/src/index.ts
client/src/index.test.ts node:http ./index.ts
client/build/types.ts node:fs openapi-typescript
cli/src/main.ts commander cli-progress @coffer/server @coffer/core @coffer/statements
  @coffer/client
client/src/openapi-types.ts
web/src/main.tsx react @tanstack/react-query ./shell/app.tsx
web/src/books/money.ts @coffer/core
web/src/books/money.test.ts node:test fast-check ./money.ts
web/src/texts/plural.ts
web/src/api/request.ts react @tanstack/react-query ../books/money.ts
  ../../../client/src/openapi-types.ts
web/src/parts/money.tsx react react-aria-components ../books/money.ts ../texts/plural.ts
web/src/screens/list.tsx react @tanstack/react-query react-aria-components wouter
  ../api/request.ts ../parts/money.tsx
web/src/shell/app.tsx ../screens/list.tsx wouter
`;

/** A small tree that keeps every rule: each file with its imports. */
export const CLEAN: Readonly<Record<string, string[]>> = Object.fromEntries(
  tree
    .trim()
    .split(/\n(?! )/)
    .map((lines): [string, string[]] => {
      const [file = '', ...imports] = lines.split(/\s+/);
      return [`packages/${file}`, imports];
    }),
);
