import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { fuzzRequests } from '../http/fuzz-generators.ts';
import { nobodySigned } from '../http/fuzz-sessions.ts';
import { ask, newAddress } from '../../test/service/ask.ts';
import { inFolder, useStore } from '../../test/service/owners.ts';
import type { Check } from '../run/check.ts';
import { cofferProgram, runProgram } from '../../test/service/coffer.ts';
import { RawConnection, type RawAnswer } from '../run/raw-connection.ts';
import { startServer, type ServerProcess } from '../../test/service/server-process.ts';
import { providerEnvironment } from '../../test/service/synced-accounts.ts';
import { canariesIn, filesBelow, type Canary } from './secret-places.ts';
import { indiscretionCount, startIndiscreetProvider, indiscreetRequests } from './secret-places.ts';
import { makeSecrets, type Secrets } from './secret-places.ts';

const seed = 23;

export const check: Check = {
  id: 'F23',
  rounds: { short: 150, full: 10_000 },
  run: (requests) => inFolder((folder) => new Search(folder).run(requests)),
};

class Search {
  readonly #folder: string;
  readonly #database: string;
  readonly #temporary: string;
  readonly #problems: string[] = [];
  #looks = 0;
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.#database = join(folder, 'coffer.db');
    this.#temporary = join(folder, 'temporary');
    mkdirSync(this.#temporary);
  }

  async run(requests: number) {
    const secrets = await useStore(this.#database, makeSecrets);
    const statement = join(this.#folder, 'statement.csv');
    writeFileSync(statement, secrets.statement);
    const provider = await startIndiscreetProvider();
    const server = await startServer({
      database: this.#database,
      flags: ['--log-level', 'trace', '--rate-limit', '1000000000/24h'],
      environment: {
        TMPDIR: this.#temporary,
        ...providerEnvironment(provider.url, secrets.encryptionKey),
      },
    });
    try {
      await this.#useCommands(secrets, statement, server);
      await this.#refresh(server, secrets);
      await this.#askEverything(server, secrets, requests);
      await this.#askIndiscreetly(server, secrets);
      await this.#askBeside(server, secrets);
    } finally {
      await server.end('SIGABRT');
      await provider.close();
    }
    this.#look('the log', Buffer.from(server.log()), everything(secrets));
    if (!server.log().includes('"req"'))
      this.#problems.push('the log has no requests: nothing was proved');
    this.#lookThroughFiles(secrets);
    this.#plant(secrets);
    const megabytes = Math.round(this.#bytes / 1e6);
    const figure =
      `${this.#looks} places with ${megabytes} MB searched for ${everything(secrets).length} secrets: ` +
      `${this.#problems.length} found; core files were not searched (seed ${seed})`;
    return { figure, problems: this.#problems };
  }

  #look(place: string, bytes: Buffer, canaries: readonly Canary[]): void {
    this.#looks += 1;
    this.#bytes += bytes.length;
    const found = canariesIn(bytes, canaries);
    if (found.length > 0 && this.#problems.length < 100)
      this.#problems.push(`${place} has the ${found.join(', the ')}`);
  }

  /** Runs commands that succeed and fail; their output may have records of ada, but no token. */
  async #useCommands(
    { ada, tokens, credentials, keyFile, encryptionKey }: Secrets,
    statement: string,
    { url }: ServerProcess,
  ): Promise<void> {
    const database = ['--database', `sqlite:${this.#database}`];
    const mine = ['--email', ada.email, ...database];
    const backup = join(this.#folder, 'backup');
    const keyPath = join(this.#folder, 'key');
    writeFileSync(keyPath, keyFile);
    const add = ['crypto', 'add', '--key-file', keyPath, ...mine, '--provider'];
    const lines: readonly (readonly [args: readonly string[], code: number])[] = [
      [['import', statement, ...mine], 0],
      [['import', statement, '--account', ada.token, ...mine], 0],
      [['import', join(this.#folder, ada.token), ...mine], 1],
      [
        ['export', '--format', 'ndjson', '--output', join(this.#folder, 'export.ndjson'), ...mine],
        0,
      ],
      [['export', '--server', url], 0],
      [['export', '--email', 'nobody@example.com', ...database], 1],
      [['token', 'list', '--json', ...mine], 0],
      [['token', 'revoke', ada.token, ...mine], 1],
      [[...add, 'kraken'], 0],
      [[...add, 'coinbase'], 2],
      [['crypto', 'list', '--json', ...mine], 0],
      [['doctor', '--json', ...database], 0],
      [['backup', backup, ...database], 0],
      [['restore', backup, '--database', `sqlite:${join(this.#folder, 'restored.db')}`], 0],
    ];
    const environment = {
      ...{ TMPDIR: this.#temporary, COFFER_TOKEN: ada.token },
      ENCRYPTION_KEY: Buffer.from(encryptionKey).toString('hex'),
    };
    for (const [args, code] of lines) {
      const said = await runProgram([...cofferProgram, ...args], { environment });
      if (args.includes(ada.token) || args.some((word) => word.endsWith(ada.token))) continue;
      const name = `coffer ${args[0]}`;
      if (said.code !== code)
        this.#problems.push(`${name} ended with ${said.code}: ${said.stderr.slice(0, 300)}`);
      this.#look(name, Buffer.from(said.stdout + said.stderr), [...tokens, ...credentials]);
    }
    rmSync(keyPath);
  }

  /** Every operation as ben, rightly and wrongly: nothing of ada may come, and no token. */
  async #askEverything({ port }: ServerProcess, secrets: Secrets, requests: number): Promise<void> {
    const { ada, ben, tokens, credentials, records } = secrets;
    const hidden = [...tokens, ...credentials];
    for (const owner of [ada, ben]) {
      const asked = fc.sample(fuzzRequests(owner.token, nobodySigned), { numRuns: requests, seed });
      for (const request of asked) {
        const connection = new RawConnection(port, newAddress());
        const { answers } = await connection.send([request]);
        connection.close();
        for (const answer of answers) {
          const isOwn = owner === ada && answer.status < 400;
          const place = `the response ${answer.status} to ${request.method} ${request.target.slice(0, 80)}`;
          this.#look(place, bytesOf(answer), isOwn ? hidden : [...hidden, ...records]);
        }
      }
    }
  }

  async #refresh({ url }: ServerProcess, secrets: Secrets): Promise<void> {
    const { ada, tokens, credentials } = secrets;
    const list = await ask(`${url}/v2/crypto/synced`, { token: ada.token });
    this.#look('/v2/crypto/synced', Buffer.from(list.text), [...tokens, ...credentials]);
    const { crypto_synced: accounts } = JSON.parse(list.text) as {
      crypto_synced: { id: number }[];
    };
    if (accounts.length !== 5) this.#problems.push(`ada has ${accounts.length} accounts, not 5`);
    const asked = accounts.flatMap(({ id }) => Array.from({ length: indiscretionCount }, () => id));
    for (const id of asked) {
      const path = `/v2/crypto/synced/${id}/refresh`;
      const { status, text } = await ask(url + path, { method: 'POST', token: ada.token });
      if (status === 200) this.#problems.push(`${path} returned 200 although its provider fails`);
      const hidden = [...tokens, ...credentials];
      this.#look(`the response ${status} to ${path}`, Buffer.from(text), hidden);
    }
  }

  /** Sends requests that contain secrets. Only the sender may get them back, and never a token. */
  async #askIndiscreetly({ port }: ServerProcess, secrets: Secrets): Promise<void> {
    for (const bytes of indiscreetRequests(secrets)) {
      const connection = new RawConnection(port, newAddress());
      const { answers, rest } = await connection.finish(bytes);
      const place = `the response to ${JSON.stringify(bytes.toString('latin1').slice(0, 90))}`;
      for (const answer of answers)
        this.#look(place, bytesOf(answer), [...secrets.tokens, ...secrets.records]);
      if (rest !== '')
        this.#look(place, Buffer.from(rest), [...secrets.tokens, ...secrets.records]);
    }
  }

  async #askBeside({ url }: ServerProcess, secrets: Secrets): Promise<void> {
    for (const path of ['/', '/healthz', '/readyz', '/metrics', '/docs', '/openapi.json']) {
      const { text } = await ask(url + path, { token: secrets.ada.token });
      this.#look(path, Buffer.from(text), everything(secrets));
    }
    const list = await ask(`${url}/v2/transactions`, { token: secrets.ada.token });
    if (canariesIn(Buffer.from(list.text), secrets.records).length === 0)
      this.#problems.push('ada cannot read her records: nothing was proved');
  }

  #lookThroughFiles(secrets: Secrets): void {
    for (const { path, bytes } of filesBelow(this.#folder)) {
      const isTemporary = path.startsWith(this.#temporary);
      const { tokens, sent, credentials } = secrets;
      const hidden = [...tokens, ...sent, ...credentials];
      this.#look(path, bytes, isTemporary ? everything(secrets) : hidden);
    }
    for (const name of ['coffer.db', 'restored.db']) {
      const all = [name, `${name}-wal`].map((each) => readIfThere(join(this.#folder, each)));
      const bytes = Buffer.concat(all);
      if (
        canariesIn(bytes, secrets.records).length === 0 ||
        !secrets.hashes.every((hash) => bytes.includes(Buffer.from(hash)))
      )
        this.#problems.push(`${name} has neither records nor hashes: nothing was proved`);
    }
  }

  /** Leaks secrets on purpose in each encoding: each leak must be found. */
  #plant({ tokens, credentials }: Secrets): void {
    const planted = join(this.#temporary, 'planted');
    for (const { text } of [...tokens, ...credentials]) {
      const utf8 = Buffer.from(text);
      const forms = [
        text,
        utf8.toString('hex'),
        `xx${utf8.toString('base64')}`,
        Buffer.from(text, 'utf16le'),
        `{"a":"${text}"}`,
      ];
      for (const form of forms) {
        writeFileSync(planted, form);
        const found = filesBelow(this.#temporary).some(
          ({ bytes }) => canariesIn(bytes, [...tokens, ...credentials]).length > 0,
        );
        if (!found)
          this.#problems.push(`a planted leak was not found: ${String(form).slice(0, 60)}`);
      }
    }
    rmSync(planted);
  }
}

function everything({ tokens, credentials, records, sent }: Secrets): Canary[] {
  return [...tokens, ...credentials, ...records, ...sent];
}

function bytesOf({ lines, text }: RawAnswer): Buffer {
  return Buffer.from(`${JSON.stringify(lines)}\n${text}`);
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
