import { instantOf } from '@coffer/core/dates';
import { context, type Engine, type Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { connections, plaidAccounts } from '../../db/tables/tables.ts';
import { causeOf, outside, read } from '../../operations/operation.ts';
import type { Operation, Request } from '../../operations/operation.ts';
import { bodyProblem, notFound, orProviderProblem, Problem } from '../../operations/problem.ts';
import { recordOf } from '../../operations/records.ts';
import { changed, created, noContent, ok, refusedWithErrors } from '../../operations/responses.ts';
import type { PlaidAccount } from '../../ledger/accounts/plaid-schema.ts';
import { addConnection, listConnections, removeConnection, type Connection } from './actions.ts';
import type { BankReader } from './bank-reader.ts';
import { connectionToWire } from './record.ts';
import type { SavedReading } from './save-reading.ts';
import { lackExamples, mostConnections, setupProblems } from './schema.ts';
import * as schema from './schema.ts';
import { setupUrlOf } from './simplefin.ts';
import { synchronise } from './synchronise.ts';

const tag = 'connections';
const noun = 'connection';
const all = { path: '/coffer/connections', tag } as const;
const one = { path: '/coffer/connections/{id}', tag, params: schema.ConnectionPath } as const;
const failures = { 502: 'BadGateway', 504: 'GatewayTimeout' } as const;
/** Bridges allow few readings. */
const readIntervalMs = 60_000;

const createDeclaration = {
  ...all,
  id: 'createConnection',
  summary: 'Add a connection to banks',
  description:
    `The service exchanges the setup token for access to the bridge, and stores it encrypted. A bridge in a private ` +
    `network must be listed in \`WEBHOOK_PRIVATE_TARGETS\`. A book can have ${mostConnections} connections. Nothing is ` +
    'read yet: the service does so within minutes, or at once by `POST /coffer/connections/{id}/read`.',
  body: schema.ConnectionInsert,
  response: created(schema.Connection, 'The new connection.'),
  refusals: {
    ...failures,
    409: {
      ...refusedWithErrors(
        409,
        'The server does not allow it: see `setup` of `GET /coffer/connections`. Or an equal request with the same ' +
          '`Idempotency-Key` is still under way; then there is a `Retry-After` header.',
        lackExamples,
      ),
      optionalHeaders: ['Retry-After'] as const,
    },
  },
} as const;

const readDeclaration = {
  ...one,
  id: 'readConnection',
  path: '/coffer/connections/{id}/read',
  summary: 'Read a connection now',
  description:
    'Reads the days since the last reading, or the last sixty, and stores new transactions. A reading less than 60 ' +
    'seconds after the last one, or while another one is under way, is refused with 425.',
  response: changed(schema.ConnectionReading, 'What was read.'),
  refusals: { ...failures, 425: 'TooEarly' },
} as const;

const deleteDeclaration = {
  ...one,
  id: 'deleteConnection',
  summary: 'Remove a connection',
  description:
    'Removes it with its credentials. Its accounts stay, with their transactions and the status `revoked`. Another ' +
    'connection to the same bank continues them.',
  response: noContent('The connection is removed.'),
} as const;

/** Returns the operations of connections to banks. */
export function connectionRoutes({
  bankReader: reader,
}: {
  readonly bankReader: BankReader;
}): readonly Operation[] {
  return [
    read(
      {
        ...all,
        id: 'getAllConnections',
        summary: 'List connections to banks',
        description: 'Returns all connections of the book. No bank is called.',
        response: ok(schema.Connections, 'The connections.'),
      },
      function* ({ bookId }) {
        const found: schema.Connection[] = [];
        for (const each of yield* listConnections(bookId)) found.push(yield* shown(each));
        return { setup: reader.setup, connections: found };
      },
      // It depends on settings of the server.
      { isVolatile: true },
    ),
    outside('POST', createDeclaration, (request, engine) => added(reader, request, engine)),
    outside('POST', readDeclaration, (request, engine) => readNow(reader, request, engine)),
    outside('DELETE', deleteDeclaration, async (request, engine) => {
      const { id } = request.params;
      const cause = causeOf(deleteDeclaration, request);
      if (!(await removeConnection(engine, cause, id))) throw notFound(noun, id);
    }),
  ];
}

/** Returns a connection with its accounts as in a response. */
function* shown(row: Connection): Steps<schema.Connection> {
  const accounts = yield* select(plaidAccounts, { book_id: row.book_id, connection_id: row.id });
  return {
    ...connectionToWire(row),
    accounts: accounts.map(({ id, name, display_name, institution_name, status }) => ({
      id,
      name: display_name ?? name,
      institution_name,
      status: status as PlaidAccount['status'],
    })),
  };
}

async function added(
  reader: BankReader,
  request: Request<typeof createDeclaration>,
  engine: Engine,
): Promise<schema.Connection> {
  const { bookId, body } = request;
  if (reader.setup !== 'on')
    throw new Problem('unconfigured', { details: [{ errMsg: setupProblems[reader.setup] }] });
  if (setupUrlOf(body.setup_token) === null)
    throw bodyProblem({
      errMsg: 'setup_token must be a setup token of a bridge: the Base64 form of an https URL',
      instancePath: '/body/setup_token',
      invalid_property: 'setup_token',
    });
  if ((await engine.read(() => listConnections(bookId))).length >= mostConnections)
    throw bodyProblem({ errMsg: `A book can have at most ${mostConnections} connections` });
  const sealed_credentials = await orProviderProblem(reader.claim(bookId, body.setup_token));
  const name = body.name?.trim() ?? 'SimpleFIN';
  const connection = { provider: 'simplefin', name, sealed_credentials } as const;
  const stored = await addConnection(engine, causeOf(createDeclaration, request), connection);
  return { ...connectionToWire(stored), accounts: [] };
}

type Reading = Omit<SavedReading, 'problems'> & { readonly connection: schema.Connection };

async function readNow(
  reader: BankReader,
  { bookId, params: { id } }: Request<typeof readDeclaration>,
  engine: Engine,
): Promise<Reading> {
  const found = () => recordOf(connections, noun, bookId, id);
  const [connection, nowMs] = await engine.read(function* () {
    return [yield* found(), (yield* context()).nowMs] as const;
  });
  const last = connection.last_read ?? '';
  // One of the future was made before the clock went back.
  if (last > instantOf(nowMs - readIntervalMs) && last <= instantOf(nowMs))
    throw new Problem('tooEarly');
  const saved = await orProviderProblem(
    synchronise({ engine, reader, connection, range: null, nowMs }),
  );
  if (saved === null) throw new Problem('tooEarly');
  const { added, changed, withdrawn } = saved;
  return {
    connection: await engine.read(function* () {
      return yield* shown(yield* found());
    }),
    added,
    changed,
    withdrawn,
  };
}
