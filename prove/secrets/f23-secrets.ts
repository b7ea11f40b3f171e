import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { fuzzRequests } from '../http/fuzz-generators.ts';
import { nobodySigned } from '../http/fuzz-sessions.ts';
import { ask } from '../../test/service/ask.ts';
import { inFolder, useStore } from '../../test/service/owners.ts';
import type { Check, Outcome } from '../run/check.ts';
import { cofferProgram, runProgram } from '../../test/service/coffer.ts';
import { RawConnection, type RawAnswer } from '../run/raw-connection.ts';
import { startServer, type ServerProcess } from '../../test/service/server-process.ts';
import { providerEnvironment } from '../../test/service/synced-accounts.ts';
import {
  canariesIn,
  filesBelow,
  indiscreetRequests,
  indiscretionCount,
  makeSecrets,
  startIndiscreetProvider,
  type Canary,
  type Secrets,
} from './secret-places.ts';
import { newAddress } from '../../test/service/http-exchange.ts';

const seed = 23;

export const check: Check = {
  id: 'F23',
  rounds: { short: 150, full: 10_000 },
  run: (requests) => inFolder((folder) => search(folder, requests)),
};

type Look = (place: string, bytes: Buffer | string, canaries: readonly Canary[]) => void;

/** What a part of the search uses. Its output may have records of ada where they are hers, but no token. */
interface Search {
  readonly folder: string;
  readonly temporary: string;
  readonly secrets: Secrets;
  readonly server: ServerProcess;
  readonly problems: string[];
  readonly look: Look;
}

async function search(folder: string, requests: number): Promise<Outcome> {
  const database = join(folder, 'coffer.db');
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const problems: string[] = [];
  let [looks, length] = [0, 0];
  const look: Look = (place, bytes, canaries) => {
    looks += 1;
    length += bytes.length;
    const found = canariesIn(Buffer.from(bytes), canaries);
    if (found.length > 0 && problems.length < 100)
      problems.push(`${place} has the ${found.join(', the ')}`);
  };
  const secrets = await useStore(database, makeSecrets);
  const provider = await startIndiscreetProvider();
  const server = await startServer({
    database,
    flags: ['--log-level', 'trace', '--rate-limit', '1000000000/24h'],
    environment: {
      TMPDIR: temporary,
      ...providerEnvironment(provider.url, secrets.encryptionKey),
    },
  });
  const all: Search = { folder, temporary, secrets, server, problems, look };
  try {
    await useCommands(all);
    await refresh(all);
    await askEverything(all, requests);
    await askIndiscreetly(all);
    await askBeside(all);
  } finally {
    await server.end('SIGABRT');
    await provider.close();
  }
  look('the log', server.log(), everything(secrets));
  if (!server.log().includes('"req"')) problems.push('the log has no requests: nothing was proved');
  lookThroughFiles(all);
  plant(all);
  const figure =
    `${looks} places with ${Math.round(length / 1e6)} MB searched for ${everything(secrets).length} secrets: ` +
    `${problems.length} found; core files were not searched (seed ${seed})`;
  return { figure, problems };
}

/** Runs commands that succeed and fail. */
async function useCommands({ folder, temporary, secrets, server, problems, look }: Search) {
  const { ada, tokens, credentials, keyFile, encryptionKey } = secrets;
  const database = ['--database', `sqlite:${join(folder, 'coffer.db')}`];
  const mine = ['--email', ada.email, ...database];
  const [statement, keyPath, backup] = ['statement.csv', 'key', 'backup'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  writeFileSync(statement, secrets.statement);
  writeFileSync(keyPath, keyFile);
  const add = ['crypto', 'add', '--key-file', keyPath, ...mine, '--provider'];
  const output = ['--output', join(folder, 'export.ndjson')];
  const lines: readonly (readonly [args: readonly string[], code: number])[] = [
    [['import', statement, ...mine], 0],
    [['import', statement, '--account', ada.token, ...mine], 0],
    [['import', join(folder, ada.token), ...mine], 1],
    [['export', '--format', 'ndjson', ...output, ...mine], 0],
    [['export', '--server', server.url], 0],
    [['export', '--email', 'nobody@example.com', ...database], 1],
    [['token', 'list', '--json', ...mine], 0],
    [['token', 'revoke', ada.token, ...mine], 1],
    [[...add, 'kraken'], 0],
    [[...add, 'coinbase'], 2],
    [['crypto', 'list', '--json', ...mine], 0],
    [['doctor', '--json', ...database], 0],
    [['backup', backup, ...database], 0],
    [['restore', backup, '--database', `sqlite:${join(folder, 'restored.db')}`], 0],
  ];
  const environment = {
    TMPDIR: temporary,
    COFFER_TOKEN: ada.token,
    ENCRYPTION_KEY: Buffer.from(encryptionKey).toString('hex'),
  };
  for (const [args, code] of lines) {
    const said = await runProgram([...cofferProgram, ...args], { environment });
    if (args.some((word) => word.endsWith(ada.token))) continue;
    const name = `coffer ${args[0]}`;
    if (said.code !== code)
      problems.push(`${name} ended with ${said.code}: ${said.stderr.slice(0, 300)}`);
    look(name, said.stdout + said.stderr, [...tokens, ...credentials]);
  }
  rmSync(keyPath);
}

/** Every operation as both users, rightly and wrongly: ben gets nothing of ada. */
async function askEverything({ secrets, server, look }: Search, requests: number): Promise<void> {
  const { ada, ben, tokens, credentials, records } = secrets;
  const hidden = [...tokens, ...credentials];
  for (const owner of [ada, ben])
    for (const request of fc.sample(fuzzRequests(owner.token, nobodySigned), {
      numRuns: requests,
      seed,
    })) {
      const connection = new RawConnection(server.port, newAddress());
      const { answers } = await connection.send([request]);
      connection.close();
      for (const answer of answers) {
        const isOwn = owner === ada && answer.status < 400;
        const place = `the response ${answer.status} to ${request.method} ${request.target.slice(0, 80)}`;
        look(place, textOf(answer), isOwn ? hidden : [...hidden, ...records]);
      }
    }
}

async function refresh({ secrets, server: { url }, problems, look }: Search): Promise<void> {
  const { ada, tokens, credentials } = secrets;
  const hidden = [...tokens, ...credentials];
  const list = await ask(`${url}/v2/crypto/synced`, { token: ada.token });
  look('/v2/crypto/synced', list.text, hidden);
  const { crypto_synced: accounts } = JSON.parse(list.text) as { crypto_synced: { id: number }[] };
  if (accounts.length !== 5) problems.push(`ada has ${accounts.length} accounts, not 5`);
  for (const { id } of accounts)
    for (let n = 0; n < indiscretionCount; n += 1) {
      const path = `/v2/crypto/synced/${id}/refresh`;
      const { status, text } = await ask(url + path, { method: 'POST', token: ada.token });
      if (status === 200) problems.push(`${path} returned 200 although its provider fails`);
      look(`the response ${status} to ${path}`, text, hidden);
    }
}

/** Sends requests that contain secrets. Only the sender may get them back, and never a token. */
async function askIndiscreetly({ secrets, server: { port }, look }: Search): Promise<void> {
  const hidden = [...secrets.tokens, ...secrets.records];
  for (const bytes of indiscreetRequests(secrets)) {
    const connection = new RawConnection(port, newAddress());
    const { answers, rest } = await connection.finish(bytes);
    const place = `the response to ${JSON.stringify(bytes.toString('latin1').slice(0, 90))}`;
    for (const text of [...answers.map(textOf), rest]) look(place, text, hidden);
  }
}

async function askBeside({ secrets, server: { url }, problems, look }: Search): Promise<void> {
  const { token } = secrets.ada;
  for (const path of ['/', '/healthz', '/readyz', '/metrics', '/docs', '/openapi.json'])
    look(path, (await ask(url + path, { token })).text, everything(secrets));
  const list = await ask(`${url}/v2/transactions`, { token });
  if (canariesIn(Buffer.from(list.text), secrets.records).length === 0)
    problems.push('ada cannot read her records: nothing was proved');
}

function lookThroughFiles({ folder, temporary, secrets, problems, look }: Search): void {
  const { tokens, sent, credentials, records, hashes } = secrets;
  const files = filesBelow(folder);
  for (const { path, bytes } of files) {
    const hidden = [...tokens, ...sent, ...credentials];
    look(path, bytes, path.startsWith(temporary) ? everything(secrets) : hidden);
  }
  for (const name of ['coffer.db', 'restored.db']) {
    const own = files.filter(({ path }) => [name, `${name}-wal`].includes(basename(path)));
    const bytes = Buffer.concat(own.map((each) => each.bytes));
    const hasHashes = hashes.every((hash) => bytes.includes(Buffer.from(hash)));
    if (canariesIn(bytes, records).length === 0 || !hasHashes)
      problems.push(`${name} has neither records nor hashes: nothing was proved`);
  }
}

/** Leaks secrets on purpose in each encoding: each leak must be found. */
function plant({ temporary, secrets, problems }: Search): void {
  const hidden = [...secrets.tokens, ...secrets.credentials];
  const planted = join(temporary, 'planted');
  for (const { text } of hidden) {
    const utf8 = Buffer.from(text);
    const encoded = [utf8.toString('hex'), `xx${utf8.toString('base64')}`];
    for (const form of [text, ...encoded, Buffer.from(text, 'utf16le'), `{"a":"${text}"}`]) {
      writeFileSync(planted, form);
      if (!filesBelow(temporary).some(({ bytes }) => canariesIn(bytes, hidden).length > 0))
        problems.push(`a planted leak was not found: ${String(form).slice(0, 60)}`);
    }
  }
  rmSync(planted);
}

function everything({ tokens, credentials, records, sent }: Secrets): Canary[] {
  return [...tokens, ...credentials, ...records, ...sent];
}

function textOf({ lines, text }: RawAnswer): string {
  return `${JSON.stringify(lines)}\n${text}`;
}
