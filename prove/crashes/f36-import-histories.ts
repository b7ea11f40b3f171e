import { setTimeout as sleep } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { run } from '../../packages/server/src/db/engine.ts';
import type { ImportRecord } from '../../packages/server/src/imports/operations/schema.ts';
import { ask, askJson, type Question } from '../../test/service/ask.ts';
import { addOwner, useStore, type Owner } from '../../test/service/owners.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { startServer, type ServerProcess } from '../../test/service/server-process.ts';
import { named, type Check } from '../run/check.ts';
import { onEachEngine, type EngineName } from '../run/engines.ts';
import { doctorProblems } from '../run/ledger.ts';
import { emptyObject, ServedImports } from '../run/served-imports.ts';

const flags = ['--rate-limit', '1000000', '--coffer-rate-limit', '1000000'];
const accounts = ['Checking', 'Card', 'Savings'] as const;
const months = 48;
const purchasesOfMonth = 12;
const importsOf = { short: 40, full: 1000 };
const killsOf = { short: 4, full: 10 };
const checkEvery = 25;
const pollMs = 20;
const expected = [200, 201, 202, 204, 400, 409];
const mostKillDelayMs = 30;
const lastImports = 20;

/**
 * Histories of imports over HTTP: files of four formats that overlap, previews that are imported late or discarded,
 * undo, redo, two imports at once, and servers killed during each. A model knows what the book has.
 */
export const check: Check = {
  id: 'F36',
  needs: ['postgres'],
  rounds: { short: 1, full: 10 },
  run: async (rounds) => {
    const isFull = rounds === check.rounds.full;
    const size = isFull ? 'full' : 'short';
    const totals = { imports: 0, undos: 0, refused: 0, kills: 0, whole: 0 };
    const found = await onEachEngine(async (engine, database) => {
      const problems: string[] = [];
      // Half of them on each engine.
      for (let round = 1; round <= Math.ceil(rounds / 2); round += 1) {
        const history = new History(engine, database, round, size);
        problems.push(...named(`${engine}, history ${round}`, await history.run()));
        for (const key of Object.keys(totals) as (keyof typeof totals)[])
          totals[key] += history.counts[key];
      }
      return [...problems, ...(await doctorProblems(database))];
    });
    const { imports, undos, refused, kills, whole } = totals;
    const figure =
      `${rounds} histories, half on each engine: ${imports} imports, ${undos} undos and redos (${refused} refused), ` +
      `${kills} kills (${whole} left the whole effect): ${found.flat().length} wrong`;
    return { figure, problems: found.flat() };
  },
};

/** What an account really had: the amounts are different, so that date and amount identify it in every format. */
interface Purchase {
  readonly key: number;
  readonly date: string;
  readonly cents: number;
  readonly payee: string;
}

interface Imported {
  readonly id: number;
  /** The purchases that it added. */
  readonly added: readonly number[];
  /** The purchases of its file. */
  readonly all: readonly number[];
  readonly format: Format;
  isUndone: boolean;
}

type Expected = 'done' | 'refused' | 'either';

interface StatementFile {
  readonly account: number;
  readonly purchases: readonly Purchase[];
  readonly format: Format;
}

type Format = keyof typeof writers;

class History {
  readonly counts = { imports: 0, undos: 0, refused: 0, kills: 0, whole: 0 };
  readonly #problems: string[] = [];
  readonly #database: string;
  readonly #name: string;
  readonly #random: Random;
  readonly #size: 'short' | 'full';
  readonly #purchases: readonly Purchase[];
  /** The purchases that the book has. */
  readonly #present = new Set<number>();
  readonly #imports: Imported[] = [];
  #owner!: Owner;
  #server!: ServerProcess;
  #served!: ServedImports;

  constructor(engine: EngineName, database: string, seed: number, size: 'short' | 'full') {
    this.#database = database;
    this.#name = `history-${seed}`;
    this.#size = size;
    this.#random = randomFrom(36_000 + seed + (engine === 'SQLite' ? 0 : 500));
    this.#purchases = accounts.flatMap((_, account) => purchasesOf(account));
  }

  async run(): Promise<string[]> {
    this.#owner = await useStore(this.#database, (store) => addOwner(store, this.#name));
    this.#server = await startServer({ database: this.#database, flags });
    const server = () => this.#server;
    this.#served = new ServedImports({ server, owner: this.#owner, expected });
    try {
      for (const name of accounts) await this.#createAccount(name);
      const most = importsOf[this.#size];
      const killEvery = Math.floor(most / killsOf[this.#size]);
      for (let step = 1; this.counts.imports < most; step += 1) {
        const before = this.#problems.length;
        // In the middle of each part of the history, so that the last one is not beyond its end.
        await (this.counts.imports >= (this.counts.kills + 0.5) * killEvery
          ? this.#killDuringStep()
          : this.#step());
        if (step % checkEvery === 0) await this.#compare();
        if (this.#problems.length > before)
          this.#problems.push(`the first problem is in step ${step}`);
        if (this.#problems.length > 0) break;
      }
      await this.#compare();
      this.#checkKills();
    } finally {
      await this.#server.stop();
    }
    return this.#problems;
  }

  async #step(): Promise<void> {
    const part = this.#random();
    if (part < 0.55) return this.#import(this.#file());
    if (part < 0.63) return this.#importLate();
    if (part < 0.67) return this.#discard();
    if (part < 0.8) return this.#undo();
    if (part < 0.92) return this.#redo();
    return this.#importBoth();
  }

  async #createAccount(name: string): Promise<void> {
    const account = { name, type: 'cash', balance: '0', currency: 'usd' };
    await askJson(`${this.#server.url}/v2/manual_accounts`, 'POST', this.#owner.token, account);
  }

  #file(): StatementFile {
    const account = integerFrom(this.#random, 0, accounts.length - 1);
    const from = integerFrom(this.#random, 0, months - 1);
    const to = from + integerFrom(this.#random, 0, this.#random() < 0.1 ? 11 : 2);
    const ofAccount = this.#purchases.filter(({ key }) => key % accounts.length === account);
    const purchases = ofAccount.slice(from * purchasesOfMonth, (to + 1) * purchasesOfMonth);
    const names = Object.keys(writers) as Format[];
    return { account, purchases, format: names[integerFrom(this.#random, 0, names.length - 1)]! };
  }

  async #import(file: StatementFile): Promise<void> {
    await this.#commit(await this.#preview(file), file);
  }

  /** The book changes between the preview and its import. */
  async #importLate(): Promise<void> {
    const file = this.#file();
    const id = await this.#preview(file);
    await this.#import(this.#file());
    if (this.#random() < 0.5) await this.#undo();
    await this.#commit(id, file);
  }

  async #discard(): Promise<void> {
    const id = await this.#preview(this.#file());
    const { status } = await this.#served.send('DELETE', `/${id}`);
    if (status !== 204) this.#problems.push(`discarding preview ${id} returned ${status}`);
  }

  /** One file in two formats is imported twice at the same time: one of them adds everything. */
  async #importBoth(): Promise<void> {
    const file = this.#file();
    const files = [file, { ...this.#file(), ...file, format: this.#file().format }];
    const ids = await Promise.all(files.map((each) => this.#preview(each)));
    const done = await Promise.all(ids.map((id) => this.#committed(id)));
    const version = (at: number): number => done[at]!.version ?? Infinity;
    for (const at of version(1) < version(0) ? [1, 0] : [0, 1]) this.#note(done[at]!, files[at]!);
  }

  async #preview({ account, purchases, format }: StatementFile): Promise<number> {
    const query = new URLSearchParams({ account: accounts[account]!, format: readAs[format] });
    const body = writers[format](purchases);
    return this.#served.preview(`?${query.toString()}`, { body });
  }

  async #commit(id: number, file: StatementFile): Promise<void> {
    this.#note(await this.#committed(id), file);
  }

  /** A commit that finds other verdicts than the preview updates the preview, and is sent again. */
  async #committed(id: number): Promise<ImportRecord> {
    for (;;) {
      const { status, text } = await this.#served.startCommit(id);
      if (status === 409 && !text.includes('other verdict')) await sleep(pollMs);
      const shown = await this.#served.committed(id);
      if (shown.status !== 'preview') return shown;
      if (status !== 409 && status !== 202) throw new Error(`commit ${id}: ${status} ${text}`);
    }
  }

  /** An import adds what the book does not have. */
  #note(record: ImportRecord, { purchases, format }: StatementFile): void {
    const all = purchases.map(({ key }) => key);
    const added = all.filter((key) => !this.#present.has(key));
    for (const key of added) this.#present.add(key);
    this.#imports.push({ id: record.id, all, added, format, isUndone: false });
    this.counts.imports += 1;
    if (record.imported !== added.length)
      this.#problems.push(
        `import ${record.id} (${format}) added ${record.imported} instead of ${added.length} of ${all.length}, ` +
          `${record.doubtful} in doubt, ${record.known} known`,
      );
  }

  async #undo(): Promise<void> {
    const each = this.#pick(({ isUndone }) => !isUndone);
    if (each !== undefined) await this.#change(each, 'undo');
  }

  async #redo(): Promise<void> {
    const each = this.#pick(({ isUndone }) => isUndone);
    if (each !== undefined) await this.#change(each, 'redo');
  }

  async #change(each: Imported, kind: 'undo' | 'redo'): Promise<void> {
    const { status, text } = await this.#served.send('POST', `/${each.id}/${kind}`);
    this.counts.undos += 1;
    if (status === 409) this.counts.refused += 1;
    const wanted = kind === 'undo' ? this.#undoOf(each) : this.#redoOf(each);
    const isDone = status === 200 || status === 202;
    if (wanted !== 'either' && (wanted === 'done') !== isDone)
      this.#problems.push(`${kind} of ${each.id} returned ${status}: ${text.slice(0, 300)}`);
    if (!isDone) return;
    await this.#served.worked(each.id);
    this.#toggle(each);
  }

  /** It is refused if a later import gave ids to what it added, which depends on the formats before. */
  #undoOf({ id, added }: Imported): Expected {
    if (added.length === 0) return 'either';
    const keys = new Set(added);
    const isShared = this.#imports.some(
      (other) => other.id !== id && hasIds(other.format) && other.all.some((key) => keys.has(key)),
    );
    return isShared ? 'either' : 'done';
  }

  /** It is refused if another import has added the same. */
  #redoOf({ added, format }: Imported): Expected {
    if (added.some((key) => this.#present.has(key))) return 'refused';
    return added.length === 0 || hasIds(format) ? 'either' : 'done';
  }

  #toggle(each: Imported): void {
    for (const key of each.added)
      if (each.isUndone) this.#present.add(key);
      else this.#present.delete(key);
    each.isUndone = !each.isUndone;
  }

  #checkKills(): void {
    const { kills } = this.counts;
    const wanted = killsOf[this.#size];
    if (this.#problems.length === 0 && kills !== wanted)
      this.#problems.push(`the server was killed ${kills} times instead of ${wanted}`);
  }

  /** One of the last imports. */
  #pick(isWanted: (each: Imported) => boolean): Imported | undefined {
    const all = this.#imports.filter(isWanted);
    return all[integerFrom(this.#random, Math.max(0, all.length - lastImports), all.length - 1)];
  }

  /** Kills the server during a request. What it did is there completely or not at all, and works afterwards. */
  async #killDuringStep(): Promise<void> {
    this.counts.kills += 1;
    const kind = this.#random();
    if (kind < 0.5) return this.#killDuringCommit();
    const each = this.#pick(({ isUndone }) => isUndone === kind < 0.75);
    if (each === undefined) return this.#killDuringCommit();
    await this.#killDuring('POST', `/${each.id}/${each.isUndone ? 'redo' : 'undo'}`);
    const { status } = await this.#served.worked(each.id);
    if ((status === 'undone') !== each.isUndone) {
      this.counts.whole += 1;
      this.#toggle(each);
    }
    await this.#compare();
  }

  async #killDuringCommit(): Promise<void> {
    const file = this.#file();
    const id = await this.#preview(file);
    await this.#killDuring('POST', `/${id}/commit`, emptyObject);
    const shown = await this.#served.committed(id);
    if (shown.status === 'imported') this.counts.whole += 1;
    this.#note(shown.status === 'imported' ? shown : await this.#committed(id), file);
    await this.#compare();
  }

  async #killDuring(method: string, path: string, more: Question = {}): Promise<void> {
    const sent = this.#served.send(method, path, more).catch(() => undefined);
    await sleep(integerFrom(this.#random, 0, mostKillDelayMs));
    await this.#server.end('SIGKILL');
    await sent;
    this.#server = await startServer({ database: this.#database, flags });
    await this.#forgetWorkers();
  }

  /** Nodes wait two minutes before they take over the work of one that may be gone. */
  async #forgetWorkers(): Promise<void> {
    await useStore(this.#database, (store) =>
      store.write(() => run(sql`UPDATE import_previews SET worker_until_ms = 0`)),
    );
  }

  /** The book has exactly the purchases of the model, and the balances that follow from them. */
  async #compare(): Promise<void> {
    const found: string[] = [];
    for (let offset = 0, more = true; more; offset += 2000) {
      const { text } = await ask(
        `${this.#server.url}/v2/transactions?limit=2000&offset=${offset}`,
        { token: this.#owner.token },
      );
      const page = JSON.parse(text) as { transactions: Row[]; has_more: boolean };
      more = page.has_more;
      found.push(
        ...page.transactions.map(({ date, amount }) => `${date} ${Number(amount).toFixed(2)}`),
      );
    }
    const expected = this.#purchases
      .filter(({ key }) => this.#present.has(key))
      .map(({ date, cents }) => `${date} ${(cents / 100).toFixed(2)}`);
    const [one, other] = [found.toSorted(), expected.toSorted()];
    if (one.join() !== other.join())
      this.#problems.push(
        `the book has ${one.length} rows instead of ${other.length}: ` +
          `${one
            .filter((row) => !other.includes(row))
            .slice(0, 3)
            .join()} too many, ` +
          `${other
            .filter((row) => !one.includes(row))
            .slice(0, 3)
            .join()} missing`,
      );
  }
}

interface Row {
  readonly date: string;
  readonly amount: string;
}

function purchasesOf(account: number): Purchase[] {
  return Array.from({ length: months * purchasesOfMonth }, (_, n) => {
    const key = n * accounts.length + account;
    const day = 1 + Math.floor(((n % purchasesOfMonth) * 28) / purchasesOfMonth);
    const date = new Date(Date.UTC(2020, Math.floor(n / purchasesOfMonth), day));
    return {
      key,
      date: date.toISOString().slice(0, 10),
      cents: 101 + key,
      payee: `Shop ${key % 37}`,
    };
  });
}

const amountOf = ({ cents }: Purchase): string => `-${(cents / 100).toFixed(2)}`;
const compact = ({ date }: Purchase): string => date.replaceAll('-', '');

const writers = {
  csv: (all: readonly Purchase[]) =>
    lines(
      'Date,Amount,Payee',
      ...all.map((each) => `${each.date},${amountOf(each)},${each.payee}`),
    ),
  csvWithIds: (all: readonly Purchase[]) =>
    lines(
      'Date,Amount,Payee,External ID',
      ...all.map((each) => `${each.date},${amountOf(each)},${each.payee},ID-${each.key}`),
    ),
  ofx: (all: readonly Purchase[]) =>
    lines(
      'OFXHEADER:100',
      'DATA:OFXSGML',
      'VERSION:102',
      '',
      '<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKTRANLIST>',
      ...all.map(
        (each) =>
          `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${compact(each)}<TRNAMT>${amountOf(each)}<FITID>F${each.key}<NAME>${each.payee}</STMTTRN>`,
      ),
      '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>',
    ),
  qif: (all: readonly Purchase[]) =>
    lines(
      '!Type:Bank',
      ...all.flatMap((each) => [`D${each.date}`, `T${amountOf(each)}`, `P${each.payee}`, '^']),
    ),
};

const readAs: Record<keyof typeof writers, string> = {
  csv: 'csv',
  csvWithIds: 'csv',
  ofx: 'ofx',
  qif: 'qif',
};

function hasIds(format: Format): boolean {
  return format === 'csvWithIds' || format === 'ofx';
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
