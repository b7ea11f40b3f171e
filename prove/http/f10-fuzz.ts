import { fillDemo } from '../../packages/server/src/demo/fill.ts';
import fc from 'fast-check';
import { makeDemoBook } from '../../packages/server/src/demo/book/make-demo-book.ts';
import { checkAnswer, sixHeaders } from '../../test/service/document-check.ts';
import { ask } from '../../test/service/ask.ts';
import { inFolder, useStore } from '../../test/service/owners.ts';
import { withSynced, type Synced } from '../../test/service/server-process.ts';
import { inLanes, joined, named, type Check, type Outcome } from '../run/check.ts';
import { onEachEngine, type EngineName } from '../run/engines.ts';
import { RawConnection, type RawAnswer, type RawRequest } from '../run/raw-connection.ts';
import { operations } from './api-document.ts';
import {
  fuzzedTransactions,
  fuzzRequests,
  plainRequests,
  wildBytes,
  type WildBytes,
} from './fuzz-generators.ts';
import { addSigned, type Signed } from './fuzz-sessions.ts';
import { newAddress } from '../../test/service/http-exchange.ts';

const seed = 20_261_120;
const lanes = 6;
const atOnce = 10;
/** Requests from one address: usually fewer than its limit, from every eighth address more. */
const perAddress = { usual: 90, over: 150 };
const wildShare = 0.15;
const plainRounds = { short: 2, full: 5 };
const syncedAccounts = 3;

/** Sends requests generated from both API documents, and malformed bytes; half of them to each engine. */
export const check: Check = {
  id: 'F10',
  needs: ['postgres'],
  rounds: { short: 1_000, full: 100_000 },
  run: async (requests) =>
    joined(
      await onEachEngine((engine, database) =>
        inFolder((folder) => run(engine, database, folder, requests / 2)),
      ),
      ` (seed ${seed})`,
    ),
};

async function run(engine: EngineName, database: string, folder: string, requests: number) {
  const flags = ['--files', folder];
  const environment = { WEBHOOK_PRIVATE_TARGETS: '127.0.0.1' };
  const options = { database, flags, environment };
  const book = makeDemoBook({ transactions: fuzzedTransactions });
  const fuzzed = async ({ owner, accounts, serve }: Synced): Promise<Outcome> => {
    const signed = await useStore(database, (store) => addSigned(store, owner));
    return serve(async (server) => {
      for (let n = 0; n < syncedAccounts; n += 1) await accounts.refresh(server.url, n);
      const fuzz = new Fuzz(server.port, owner.token, signed);
      await fuzz.run(requests);
      const problems = [...fuzz.problems, ...faultsIn(server.log())];
      problems.push(...(await operationsMissed(server.url)));
      const isAlive = await Promise.race([server.ended.then(() => false), Promise.resolve(true)]);
      if (!isAlive) problems.push('the server ended');
      return { figure: `${engine}: ${fuzz.figure()}`, problems: named(engine, problems) };
    });
  };
  return withSynced(options, syncedAccounts, fuzzed, (store, { bookId }) =>
    fillDemo(store, bookId, book),
  );
}

async function operationsMissed(url: string): Promise<string[]> {
  const { text } = await ask(`${url}/metrics`);
  return operations
    .filter(({ method, path }) => {
      const name = `coffer_http_requests_total{route="${path}",method="${method}",status=`;
      // 409: connections to banks are not allowed here.
      return ![200, 201, 202, 204, 404, 409, 422].some((status) =>
        text.includes(`${name}"${status}"`),
      );
    })
    .map(({ method, path }) => `no request reached ${method} ${path}`);
}

/** Returns warnings and errors in the log: no request of a client may cause one. */
function faultsIn(log: string): string[] {
  const lines = log.split('\n').filter((line) => /"level":[456]0/.test(line));
  return lines.map((line) => `the log: ${line.slice(0, 400)}`);
}

class Fuzz {
  readonly problems: string[] = [];
  readonly #port: number;
  readonly #token: string;
  readonly #signed: Signed;
  readonly #statuses = new Set<number>();
  #responses = 0;
  #wild = 0;
  #lost = 0;

  constructor(port: number, token: string, signed: Signed) {
    [this.#port, this.#token, this.#signed] = [port, token, signed];
  }

  figure(): string {
    const { size } = this.#statuses;
    return `${this.#responses} responses with ${size} statuses, ${this.#wild} malformed messages, ${this.#lost} lost`;
  }

  async run(count: number): Promise<void> {
    const wildCount = Math.round(count * wildShare);
    const { short, full } = plainRounds;
    const rounds = count < check.rounds.full / 2 ? short : full;
    const plain = await plainRequests(this.#token, this.#signed, rounds);
    for (const requests of plain) await this.#visit(requests, 1);
    let tame = count - wildCount - plain.flat().length;
    let visits = 0;
    const lane = async (): Promise<void> => {
      while (tame > 0 && this.problems.length < 50) {
        visits += 1;
        const most = visits % 8 === 0 ? perAddress.over : perAddress.usual;
        const some = Math.min(most, tame);
        const requests = sample(fuzzRequests(this.#token, this.#signed), some, seed + visits);
        tame -= requests.length;
        await this.#visit(requests);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    const tameOnes = fuzzRequests(this.#token, this.#signed);
    const wild = sample(wildBytes(tameOnes, this.#token), wildCount, seed);
    await inLanes(lanes, wildCount, (n) => this.#disturb(wild[n]!));
  }

  async #visit(requests: readonly RawRequest[], together = atOnce): Promise<void> {
    const from = newAddress();
    let connection = new RawConnection(this.#port, from);
    for (let at = 0; at < requests.length;) {
      const batch = requests.slice(at, at + together);
      const { answers, isClosed, rest } = await connection.send(batch);
      answers.forEach((answer, n) => this.#look(batch[n]!, answer));
      const isAnnounced = answers.at(-1)?.lines['connection']?.includes('close') === true;
      if (rest !== '')
        this.#complain(batch[answers.length]!, `an incomplete response: ${rest.slice(0, 200)}`);
      at += answers.length;
      if (answers.length < batch.length && !isAnnounced) {
        this.#lost += 1;
        this.#complain(batch[answers.length]!, 'no response');
        at += 1;
      }
      if (isClosed || isAnnounced) {
        connection.close();
        connection = new RawConnection(this.#port, from);
      }
    }
    connection.close();
  }

  #count({ status }: RawAnswer): void {
    this.#responses += 1;
    this.#statuses.add(status);
  }

  #look(request: RawRequest, answer: RawAnswer): void {
    this.#count(answer);
    const problem = !answer.isRouted
      ? 'refused by the parser'
      : answer.status >= 500
        ? 'a server error'
        : problemOf(request, answer);
    if (problem !== undefined) this.#complain(request, `${answer.status} ${problem}`);
  }

  #complain({ bytes }: RawRequest, what: string): void {
    this.problems.push(`${what}\n      ${JSON.stringify(bytes.toString('latin1').slice(0, 400))}`);
  }

  async #disturb({ bytes, mostSuccesses }: WildBytes): Promise<void> {
    this.#wild += 1;
    const connection = new RawConnection(this.#port, newAddress());
    const { answers, rest, isClosed } = await connection.finish(bytes);
    connection.close();
    const shown = { method: '', target: '', bytes };
    for (const answer of answers) {
      this.#count(answer);
      const problem = oddProblemOf(answer);
      if (problem !== undefined) this.#complain(shown, problem);
    }
    if (!isClosed) this.#complain(shown, 'the connection was not closed');
    if (rest !== '') this.#complain(shown, `an incomplete response: ${rest.slice(0, 200)}`);
    if (answers.filter(({ status }) => status < 300).length > mostSuccesses)
      this.#complain(shown, 'the smuggled request got a response');
  }
}

function problemOf({ method, target }: RawRequest, answer: RawAnswer): string | undefined {
  try {
    checkAnswer(method, target, answer);
    return oddProblemOf(answer);
  } catch (error) {
    return (error as Error).message.split('\n').slice(0, 6).join(' ');
  }
}

/** Like {@link problemOf}, for responses to unknown requests. */
function oddProblemOf({ status, lines, text }: RawAnswer): string | undefined {
  if (status >= 500) return `${status} a server error`;
  const counts = sixHeaders.map((name) => lines[name.toLowerCase()] ?? []);
  const isCounted = counts.some((values) => values.length > 0);
  if (isCounted && !counts.every((values) => values.length === 1 && /^\d+$/.test(values[0]!)))
    return `${status} does not have each of the six headers once`;
  // The document describes another body for 422.
  if (status < 400 || status === 422 || text === '') return undefined;
  return isErrorBody(text)
    ? undefined
    : `${status} is not in the error format: ${text.slice(0, 200)}`;
}

/** Those of v1 begin with another name. */
function isErrorBody(text: string): boolean {
  const isNamed = /^\{"message":"[^"].*","errors":\[\{.*"errMsg":"[^"]/s.test(text);
  return isNamed || /^\{"(name|errors?)":\[?"[^"]/.test(text);
}

function sample<T>(arbitrary: fc.Arbitrary<T>, numRuns: number, from: number): T[] {
  return fc.sample(arbitrary, { numRuns, seed: from });
}
