import { isCurrencyCode } from '../operations/currencies.ts';
import { maxExternalIdLength } from '../operations/limits.ts';
import type { Change } from '../book/change.ts';
import { blockSize } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { candidateOf, isNew } from './candidate.ts';
import type { Candidate, Judgement } from './candidate.ts';
import type { ImportEntry, ImportPlan, ImportSummary, OnDoubt } from './entry.ts';
import { hasForm } from './forms.ts';
import type { KnownRow } from './forms.ts';
import { FreeIds } from './free-ids.ts';
import { Judge } from './judge.ts';
import { KnownRows } from './known-rows.ts';
import { KnownUpdates } from './known-updates.ts';
import { ImportNames } from './names.ts';
import { NewRows } from './new-rows.ts';
import { ImportRecord } from './record.ts';
import { ImportProblems, ImportTally, ImportVerdicts } from './report.ts';
import { ImportValues } from './values.ts';

/** One import of one file into one book. */
export class ImportRun {
  readonly #primaryCurrency: string;
  readonly #plan: ImportPlan;
  readonly #problems = new ImportProblems();
  readonly #tally = new ImportTally();
  readonly #verdicts: ImportVerdicts;
  readonly #names: ImportNames;
  readonly #known: KnownRows;
  readonly #judge: Judge;
  readonly #ids: FreeIds;
  readonly #updates: KnownUpdates;
  readonly #rows: NewRows;
  readonly #values: ImportValues;
  #block: Candidate[] = [];
  readonly #record: ImportRecord;
  #read = 0;

  constructor(change: Change, primaryCurrency: string, plan: ImportPlan) {
    const format = plan.format ?? null;
    this.#primaryCurrency = primaryCurrency;
    this.#plan = plan;
    this.#record = new ImportRecord(change, plan);
    this.#verdicts = new ImportVerdicts(plan.onVerdict);
    this.#names = new ImportNames(change, primaryCurrency, this.#problems, plan.accounts);
    this.#values = new ImportValues(change, primaryCurrency);
    this.#rows = new NewRows(change, this.#values, this.#names);
    this.#known = new KnownRows(change.bookId, format, this.#rows.written);
    this.#judge = new Judge(this.#known);
    this.#ids = new FreeIds(this.#known);
    this.#updates = new KnownUpdates(change, format);
  }

  *take(received: ImportEntry): Steps<void> {
    this.#read += 1;
    const entry = this.#withKnownCurrency(received);
    const { accountOf, defaultAccount } = this.#plan;
    const accountName = accountOf?.(entry.account) ?? entry.account ?? defaultAccount;
    const account = yield* this.#names.account(accountName, entry);
    const categoryId = yield* this.#names.category(entry.category, entry);
    const currency = entry.currency ?? account?.currency ?? this.#primaryCurrency;
    this.#checkCurrency(entry, currency);
    this.#checkExternalId(entry, account?.id ?? null);
    this.#rows.check(entry, this.#problems);
    this.#tally.add(entry, currency);
    // After a problem nothing will be kept: only further problems are collected.
    if (this.#problems.any) return;
    const { keepsEmptyPayees } = this.#plan;
    const of = { account, categoryId, currency };
    const candidate = candidateOf(entry, this.#read, of, keepsEmptyPayees);
    // An account that this import created has no earlier rows.
    if (account?.isEarlier === false) return yield* this.#carryOut(candidate, isNew);
    this.#judge.note(candidate);
    this.#block.push(candidate);
    if (this.#block.length === blockSize) yield* this.#judgeBlock(false);
  }

  *finish(): Steps<ImportSummary> {
    this.#problems.refuse();
    yield* this.#judgeBlock(this.#read === this.#block.length);
    for (const [candidate, judgement] of this.#judge.settle())
      yield* this.#carryOut(candidate, judgement);
    this.#problems.refuse();
    yield* this.#rows.flush();
    yield* this.#updates.flush();
    yield* this.#values.moveBalances();
    const { counts, doubtful } = this.#verdicts;
    const summary: ImportSummary = {
      importId: null,
      imported: counts.imported,
      skippedDuplicates: counts.known,
      replaced: counts.replaced,
      skippedByChoice: counts.skippedByChoice,
      doubtful,
      accountsCreated: this.#names.accountsCreated,
      categoriesCreated: this.#names.categoriesCreated,
      tagsCreated: this.#names.tagsCreated,
      ...this.#tally.result,
      ...this.#values.result,
    };
    const importId = yield* this.#record.finish(summary);
    return { ...summary, importId: this.#plan.dryRun ? null : importId };
  }

  #withKnownCurrency(entry: ImportEntry): ImportEntry {
    const { currency, notes } = entry;
    const given = this.#plan.currency;
    if (currency === null || given === undefined || isCurrencyCode(currency)) return entry;
    const texts = [notes ?? '', currency.toUpperCase()].filter((text) => text !== '');
    return { ...entry, currency: given, notes: texts.join('; ') };
  }

  #checkCurrency(entry: ImportEntry, currency: string): void {
    if (isCurrencyCode(currency)) return;
    this.#problems.add({
      line: entry.line,
      column: 'currency',
      value: currency,
      reason: 'is not a supported currency code: use --currency for the currency of such amounts',
    });
  }

  /** A bank's id identifies one transaction; if a file repeated it, one of the two would be lost. */
  #checkExternalId({ externalId, line }: ImportEntry, accountId: number | null): void {
    if (externalId === null) return;
    const firstLine = this.#ids.use(externalId, accountId, line);
    const reason = externalIdProblem(externalId, firstLine);
    if (reason === null) return;
    this.#problems.add({ line, column: 'external_id', value: externalId, reason });
  }

  /** Judges the entries of a block: first those that their ids settle, so that only rows of the others are loaded. */
  *#judgeBlock(isWholeFile: boolean): Steps<void> {
    const block = this.#block;
    this.#block = [];
    yield* this.#ids.findRows(block);
    const judged = new Map<Candidate, Judgement>();
    const decide = (find: (candidate: Candidate) => Judgement | null): void => {
      for (const candidate of block) {
        const judgement = judged.get(candidate) ?? find(candidate);
        if (judgement !== null) judged.set(candidate, judgement);
      }
    };
    decide((candidate) => this.#judge.takeId(candidate));
    decide((candidate) => this.#judge.takeSharedId(candidate));
    const left = block.filter((each) => !judged.has(each));
    yield* this.#known.loadAround(left, isWholeFile);
    decide((candidate) => this.#judge.takeText(candidate));
    decide((candidate) => this.#judge.take(candidate));
    for (const candidate of block) {
      const judgement = judged.get(candidate);
      if (judgement !== undefined) yield* this.#carryOut(candidate, judgement);
    }
    if (!this.#judge.isFull) return;
    const last = block.at(-1)!.date;
    for (const [candidate, judgement] of this.#judge.settle(last))
      yield* this.#carryOut(candidate, judgement);
  }

  *#carryOut(candidate: Candidate, judgement: Judgement): Steps<void> {
    const choice = this.#plan.choices?.get(candidate.number);
    const isImported = this.#isImported(judgement, choice);
    this.#verdicts.add(candidate, judgement, isImported);
    const { verdict, row } = judgement;
    if (isImported) {
      const externalId = candidate.externalId === null ? null : yield* this.#ids.newId(candidate);
      const importId = yield* this.#record.id();
      yield* this.#rows.add(candidate, externalId, importId);
    } else if (verdict === 'replaces') yield* this.#post(candidate, judgement);
    else if (row !== null && this.#isToRemember(row, judgement, choice))
      yield* this.#remember(candidate, judgement);
  }

  #isImported({ verdict, isLeftOut }: Judgement, choice: OnDoubt | undefined): boolean {
    if (choice !== undefined) return choice === 'keep';
    const { onDoubt } = this.#plan;
    if (verdict === 'doubtful') return isLeftOut === true ? onDoubt === 'keep' : onDoubt !== 'skip';
    return verdict === 'new';
  }

  *#post(candidate: Candidate, { row, verdict }: Judgement): Steps<void> {
    const { account, amount: received, currency, date } = candidate;
    const amount = received === 0 ? 0 : -received;
    const toBase = yield* this.#values.toBase(amount, currency, date);
    if (account !== null && verdict === 'replaces')
      yield* this.#values.add(account, amount, currency, date);
    const isKept = candidate.externalId === null || candidate.externalId === row!.externalId;
    const externalId = isKept ? null : yield* this.#ids.newId(candidate);
    const importId = yield* this.#record.id();
    yield* this.#updates.post(row!, { candidate, toBase, importId, externalId });
  }

  /** Not if the user changed the row, or nobody has said that the entry is the row. */
  #isToRemember(
    { id, edit }: KnownRow,
    { verdict, isLeftOut }: Judgement,
    choice: OnDoubt | undefined,
  ): boolean {
    if (edit !== null || (isLeftOut === true && (choice ?? this.#plan.onDoubt) !== 'skip'))
      return false;
    // Another entry in doubt, or the entry that it certainly is, may have changed the row.
    return verdict !== 'doubtful' || !this.#updates.changed.has(id);
  }

  /** Gives a known row the bank's id, and remembers how this file has it. */
  *#remember(candidate: Candidate, { row, verdict }: Judgement): Steps<void> {
    const { externalId } = candidate;
    const known = row!;
    const isWithId = [known, ...known.forms].some((form) => form.externalId === externalId);
    const takesId = externalId !== null && known.externalId === null && !isWithId;
    if (takesId) yield* this.#updates.takeId(known, yield* this.#ids.newId(candidate));
    // An id of another format than that of the row is noted, so that it is not taken for an id of the row's own.
    const isOtherId = takesId && known.format !== (this.#plan.format ?? null);
    const isForeign = known.relation === 'other' || known.isPending !== candidate.isPending;
    const isNoted = hasForm(known, candidate);
    if (isOtherId || ((isForeign || verdict === 'doubtful') && !isNoted))
      yield* this.#updates.noteForm(known, candidate);
  }
}

function externalIdProblem(externalId: string, firstLine: number | undefined): string | null {
  if (externalId.length > maxExternalIdLength) {
    return `is ${externalId.length} characters long; ${maxExternalIdLength} are allowed`;
  }
  if (firstLine === undefined) return null;
  return `is also on line ${firstLine}; each transaction needs its own id`;
}
