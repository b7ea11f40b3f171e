import { trimmedCell } from '../table/cells.ts';
import type { Row } from '../table/rows.ts';
import { columnName, type Layout } from '../table/header.ts';
import { folded } from '../../words/vocabulary.ts';
import { isSpent } from '../table/header-names.ts';
import {
  namesDirections,
  parseDirection,
  type Direction,
  areOfCard,
  cardMeaning,
  isHiddenNumber,
  type CardMeaning,
} from '../../words/meanings.ts';
import type {
  ColumnKey,
  ColumnMap,
  ProblemChoice,
  StatementOptions,
  StatementProblem,
} from '../../statement/statement.ts';
import type { MoneyRule } from './entries.ts';

/** The possible rules, the likely one first, and what to report unless a balance decides. */
export interface MoneyRules {
  readonly rules: readonly MoneyRule[];
  readonly conflict: StatementProblem | null;
  /** Whether no amount has a sign, nor a word or a column of its own that gives it. */
  readonly isUnsigned: boolean;
  /** Whether most amounts are positive, and nothing in the file says what that means. */
  readonly isMostlyPositive: boolean;
  /** Whether only names and texts, as on a card, show that money out is positive. */
  readonly isTurnedByTexts: boolean;
  /** What to ask where a balance contradicts those texts: it may be what is owed. */
  readonly textQuestion: StatementProblem | null;
  /** Rows whose word contradicts the sign, where the words decide. */
  readonly overruled: { count: number; line: number; column: string } | null;
}

// Enough to see what a negative amount means.
const MAX_PAYEES = 2000;

/** Collects how the rows of a table write money in and out. */
export class SignSurvey {
  readonly #layout: Layout;
  readonly #words: Words[];
  #positive = 0;
  #negative = 0;
  readonly #columns = {
    debits: { positive: 0, negative: 0 },
    credits: { positive: 0, negative: 0 },
  };
  /** Rows whose texts say which way money went, and whether the sign agrees. */
  readonly #texts = { all: { ...NONE }, refund: { ...NONE }, card: { ...NONE } };
  /** Amounts with a mark of money in, such as `20.00 CR`. */
  #credits = 0;
  /** Columns whose cells may all be words of cards for both directions, such as `Purchase` and `Payment`. */
  readonly #cardWords: { column: number; isKnown: boolean; in: number; out: number }[];
  readonly #negate: boolean | undefined;
  #isCard: boolean;
  #firstPositive: { line: number; value: string } | null = null;
  #inColumns = 0;
  #rows = 0;
  #fee: { line: number; value: string; sign: number } | null = null;

  /** `negate`: what the user said of the signs. `isCard`: whether the account is known to be one of a card. */
  constructor(layout: Layout, { negate, isCard = false }: StatementOptions) {
    this.#layout = layout;
    this.#negate = negate;
    const hasBalance = layout.columns.balance !== undefined;
    this.#isCard = isCard || layout.isCardAbove || (!hasBalance && areOfCard(layout.names));
    const { direction } = layout.columns;
    const columnsOfWords = direction === undefined ? layout.directionColumns : [direction];
    const ofCards = [...columnsOfWords, layout.columns.category].filter(
      (each) => each !== undefined,
    );
    this.#cardWords = ofCards.map((column) => ({ column, isKnown: true, in: 0, out: 0 }));
    this.#words = columnsOfWords.map((column) => ({
      column,
      unknown: null,
      blanks: 0,
      in: 0,
      out: 0,
      agree: 0,
      contradictions: 0,
      first: { line: 0, value: '', amount: '' },
    }));
  }

  /** Adds a row with the sign of its amount: -1, 0 or 1. */
  addAmount(row: Row, sign: number): void {
    this.#rows += 1;
    if (sign > 0) {
      this.#positive += 1;
      const value = trimmedCell(row.cells, this.#layout.columns.amount);
      this.#firstPositive ??= { line: row.line, value };
      if (isMarkedCredit(value)) this.#credits += 1;
    }
    if (sign < 0) this.#negative += 1;
    for (const words of this.#words) this.#addWord(words, row, sign);
    for (const words of this.#cardWords) addCardWord(words, trimmedCell(row.cells, words.column));
    if (this.#rows <= MAX_PAYEES) this.#addTexts(row, sign);
  }

  /** A payment to the card must be money in, and a purchase money out. */
  #addTexts({ cells }: Row, sign: number): void {
    this.#isCard ||= cells.some(isHiddenNumber) && this.#layout.columns.balance === undefined;
    const meaning = sign === 0 ? null : this.#meaningOf(cells);
    if (meaning === null) return;
    const found = this.#texts[meaning.holds];
    if (meaning.direction === sign) found.agree += 1;
    else found.turned += 1;
  }

  #meaningOf(cells: readonly string[]): CardMeaning | null {
    const { columns, fallbacks, directionColumns } = this.#layout;
    const texts = [columns.payee, ...fallbacks.payee, columns.notes];
    const known = [columns.category, ...directionColumns, ...texts];
    for (const index of new Set([...known, ...cells.keys()])) {
      const meaning = index === columns.status ? null : cardMeaning(trimmedCell(cells, index));
      if (meaning !== null) return meaning;
    }
    return null;
  }

  /** Adds the sign of an amount in a column of debits or credits. */
  addInColumn(column: 'debits' | 'credits', sign: number): void {
    if (sign > 0) this.#columns[column].positive += 1;
    if (sign < 0) this.#columns[column].negative += 1;
  }

  /** Adds a row that has an amount, and also a debit or a credit. */
  addInColumns(): void {
    this.#inColumns += 1;
  }

  addFee(line: number, value: string, sign: number): void {
    if (sign !== 0 && this.#fee === null) this.#fee = { line, value, sign };
  }

  #addWord(words: Words, { cells, line }: Row, sign: number): void {
    const word = trimmedCell(cells, words.column);
    if (word === '') {
      words.blanks += 1;
      return;
    }
    const direction = parseDirection(word);
    if (direction === null) words.unknown ??= { line, value: word };
    else countWord(words, direction, sign);
    if (direction === null || direction * sign >= 0 || words.first.line > 0) return;
    words.first = { line, value: word, amount: trimmedCell(cells, this.#layout.columns.amount) };
  }

  /** The rules for money that fit the rows. */
  rules(map: ColumnMap): MoneyRules {
    const { rules, conflict, ...signs } = this.#signRules(map);
    const fees = this.#feeRules(map);
    const all = fees.flatMap((fee) => rules.map((rule) => ({ ...rule, fee })));
    const feeConflict = fees.length > 1 ? this.#feeConflict() : null;
    return { rules: all, conflict: conflict ?? feeConflict, ...signs };
  }

  #signRules(map: ColumnMap): MoneyRules {
    const { columns, profile } = this.#layout;
    const base: MoneyRule = {
      from: 'amount',
      words: 'none',
      wordColumn: undefined,
      blankWord: null,
      directionOf: null,
      isDebitSigned: false,
      isCreditSigned: false,
      fee: 'none',
      isNegated: profile?.isNegated ?? false,
    };
    const hasBoth = columns.debit !== undefined && columns.credit !== undefined;
    const isUnsigned = this.#negative === 0 && this.#inColumns === this.#rows && this.#rows > 0;
    const isFromColumns =
      columns.amount === undefined || (hasBoth && isUnsigned && map.amount === undefined);
    if (isFromColumns) return this.#columnRules({ ...base, from: 'columns' });
    return this.#wordRules(base, map);
  }

  /**
   * Debits that are all negative are written so, like credits next to positive debits; a negative number among positive
   * ones is a reversal.
   */
  #columnRules(rule: MoneyRule): MoneyRules {
    const { debits, credits } = this.#columns;
    if (debits.negative > 0 && debits.positive === 0)
      return { ...PLAIN, rules: [{ ...rule, isDebitSigned: true }, rule] };
    const isTurned = credits.negative > 0 && credits.positive === 0 && debits.positive > 0;
    return { ...PLAIN, rules: isTurned ? [{ ...rule, isCreditSigned: true }, rule] : [rule] };
  }

  #wordRules(base: MoneyRule, map: ColumnMap): MoneyRules {
    const { profile } = this.#layout;
    const isGiven = map.direction !== undefined;
    const words = this.#words.find((each) => isGiven || this.#isUsable(each));
    if (words === undefined) return this.#withoutWords(base, map);
    const decide: MoneyRule = {
      ...base,
      words: 'decide',
      wordColumn: words.column,
      isNegated: false,
      blankWord: profile?.blankWord ?? blankWord(words),
    };
    const overruled = {
      count: words.contradictions,
      line: words.first.line,
      column: columnName(this.#layout, words.column),
    };
    const isDecided = isGiven || profile?.wordsDecide === true;
    const isSigned = this.#negative > 0;
    if (isDecided || !isSigned) {
      const isOverruled = isSigned && words.contradictions > 0;
      return { ...PLAIN, rules: [decide], overruled: isOverruled ? overruled : null };
    }
    const isNegatedThroughout = words.agree === 0 && this.#negate === true;
    const isClear = words.contradictions === 0 || isNegatedThroughout || map.amount !== undefined;
    if (isClear) return { ...PLAIN, rules: [base] };
    const rules: MoneyRule[] = [base, decide, { ...decide, words: 'multiply' }];
    return { ...PLAIN, rules, conflict: this.#wordConflict(words) };
  }

  #withoutWords(base: MoneyRule, map: ColumnMap): MoneyRules {
    const directionOf = this.#isUnsigned(map) ? this.#rowDirection() : null;
    if (directionOf !== null) {
      const rule: MoneyRule = { ...base, words: 'decide', isNegated: false, directionOf };
      return { ...PLAIN, rules: [rule] };
    }
    const isDecided = map.amount !== undefined || this.#layout.profile?.isNegated !== undefined;
    const isFree = !isDecided && this.#negate !== false;
    const name = this.#layout.names[this.#layout.columns.amount ?? -1] ?? '';
    const turned: MoneyRules = {
      ...PLAIN,
      rules: [{ ...base, isNegated: true }, base],
      isTurnedByTexts: true,
      textQuestion: this.#positive > 0 ? this.#cardQuestion() : null,
    };
    if (isFree && isSpent(name) && this.#positive > this.#negative) return turned;
    const shown = this.#shownByTexts();
    if (isFree && shown === 'turned') return turned;
    const isOpen = isFree && this.#negate === undefined && this.#layout.profile === null;
    const isLikely = this.#isCard || shown === 'refunds';
    const isUnclear = isOpen && isLikely && shown !== 'plain' && this.#positive > this.#negative;
    const question = isUnclear ? this.#cardQuestion() : null;
    if (this.#negative > 0)
      return {
        ...PLAIN,
        rules: [base],
        conflict: question,
        isMostlyPositive: this.#isMostlyPositive(shown),
      };
    const conflict = (map.amount === undefined ? this.#unknownWord() : null) ?? question;
    const isUnsigned = this.#positive > 0 && !base.isNegated;
    return { ...PLAIN, rules: [base], conflict, isUnsigned };
  }

  /** Whether no amount has a sign, and nobody said what that means. */
  #isUnsigned(map: ColumnMap): boolean {
    const isGiven = map.amount !== undefined || this.#negate !== undefined;
    return !isGiven && this.#layout.profile === null && this.#negative === 0 && this.#positive > 0;
  }

  /** What a row has besides its amount that shows the direction in all rows; null if there is nothing. */
  #rowDirection(): MoneyRule['directionOf'] {
    const { ownSide, columns } = this.#layout;
    if (ownSide !== null)
      return (cells) => (trimmedCell(cells, ownSide.from) === ownSide.text ? -1 : 1);
    if (this.#credits > 0 && this.#credits < this.#positive)
      return (cells) => (isMarkedCredit(trimmedCell(cells, columns.amount)) ? 1 : -1);
    const words = this.#cardWords.find((each) => each.isKnown && each.in > 0 && each.out > 0);
    if (!this.#isCard || words === undefined) return null;
    return (cells) => cardDirection(trimmedCell(cells, words.column));
  }

  /**
   * What the texts show: that signs are as they are, or turned round. `refunds`: turned on a card, but not in the books
   * of a shop, which sends refunds.
   */
  #shownByTexts(): 'plain' | 'turned' | 'refunds' | null {
    const { all, refund, card } = this.#texts;
    const isMostlyIn = this.#positive >= this.#negative;
    if (all.agree + all.turned > 0 && !this.#isCard)
      return directionOf(all) === 'turned' && !isMostlyIn ? 'plain' : directionOf(all);
    if (this.#isCard) {
      const agree = all.agree + refund.agree + card.agree;
      return directionOf({ agree, turned: all.turned + refund.turned + card.turned });
    }
    return directionOf(refund) === 'turned' && isMostlyIn ? 'refunds' : null;
  }

  /** Many more amounts of money in than money out: perhaps they are what was spent. */
  #isMostlyPositive(shown: string | null): boolean {
    const isShown = shown === 'plain';
    return this.#layout.profile === null && !isShown && this.#positive >= 3 * this.#negative;
  }

  /** Whether positive amounts are purchases with a card. */
  #cardQuestion(): StatementProblem {
    const column = columnName(this.#layout, this.#layout.columns.amount!);
    const reason = `Could be money out, as on a card (--negate), or money in (--map amount=${flagValue(column)})`;
    const choices = [
      { label: 'money out (positive amounts are purchases)', options: { negate: true } },
      choice('money in (signs as they are)', 'amount', column),
    ];
    return { ...this.#firstPositive!, column, reason, choices };
  }

  /** A word without meaning in a column of directions, next to an amount without a sign. */
  #unknownWord(): StatementProblem | null {
    const words = this.#words.find(
      ({ column, unknown, in: ins, out }) =>
        unknown !== null && ((ins > 0 && out > 0) || namesDirections(this.#layout.names[column])),
    );
    if (words === undefined) return null;
    const column = columnName(this.#layout, words.column);
    const amount = columnName(this.#layout, this.#layout.columns.amount!);
    const reason = `Not a known direction, and no amount has a sign: --map amount=${flagValue(amount)} reads all as money in`;
    return { ...words.unknown!, column, reason };
  }

  /** Every cell is a known word; blank ones only where the known words are one mark, such as `CR`. */
  #isUsable(words: Words): boolean {
    const known = words.in + words.out;
    const isMark = words.in === 0 || words.out === 0;
    const hasBlankWord = this.#layout.profile?.blankWord !== undefined;
    if (words.blanks > 0 && (!isMark || this.#negative > 0)) return false;
    return words.unknown === null && (known > 0 || hasBlankWord);
  }

  #wordConflict(words: Words): StatementProblem {
    const { line, value, amount } = words.first;
    const column = columnName(this.#layout, words.column);
    const [byWord, bySign] = amount.includes('-') ? ['in', 'out'] : ['out', 'in'];
    const amountColumn = columnName(this.#layout, this.#layout.columns.amount!);
    const negate = words.agree === 0 ? ', or --negate if money out is positive' : '';
    const reason =
      `Next to ${amount}, could be money ${byWord} (the words decide: --map direction=${flagValue(column)}${negate}) ` +
      `or money ${bySign} (the signs decide: --map amount=${flagValue(amountColumn)})`;
    const choices = [
      choice(`money ${byWord} (the words decide)`, 'direction', column),
      choice(`money ${bySign} (the signs decide)`, 'amount', amountColumn),
      ...(words.agree === 0
        ? [{ label: 'money out is positive throughout', options: { negate: true } }]
        : []),
    ];
    return { line, column, value, reason, choices };
  }

  #feeRules(map: ColumnMap): MoneyRule['fee'][] {
    const { columns, profile, names } = this.#layout;
    if (columns.fee === undefined || this.#fee === null) return ['none'];
    if (map.fee !== undefined) return ['subtract'];
    if (profile?.fee !== undefined) return [profile.fee];
    const amountName = folded(names[columns.amount ?? -1] ?? '');
    if (map.amount !== undefined || /\bnet|total/.test(amountName)) return ['none'];
    return this.#fee.sign < 0 ? ['none', 'add'] : ['none', 'subtract'];
  }

  #feeConflict(): StatementProblem {
    const { columns } = this.#layout;
    const column = columnName(this.#layout, columns.fee!);
    const amount = columnName(this.#layout, columns.amount ?? columns.debit!);
    const key = columns.amount === undefined ? 'debit' : 'amount';
    const reason =
      `A fee could be taken off the amount (--map fee=${flagValue(column)}) ` +
      `or be part of it (--map ${key}=${flagValue(amount)})`;
    const choices = [
      choice('taken off the amount', 'fee', column),
      choice('a part of the amount', key, amount),
    ];
    return { line: this.#fee!.line, column, value: this.#fee!.value, reason, choices };
  }
}

function isMarkedCredit(cell: string): boolean {
  return /(?<!\p{L})CR$/iu.test(cell);
}

/** The direction of a word for a kind of row on the statement of a card. */
function cardDirection(word: string): Direction | null {
  return cardMeaning(word)?.direction ?? parseDirection(word);
}

function addCardWord(words: { isKnown: boolean; in: number; out: number }, word: string): void {
  if (!words.isKnown) return;
  const direction = cardDirection(word);
  if (direction === null) words.isKnown = false;
  else if (direction > 0) words.in += 1;
  else words.out += 1;
}

const NONE = { agree: 0, turned: 0 };

function directionOf({ agree, turned }: typeof NONE): 'plain' | 'turned' | null {
  if (agree > 0) return turned > 0 ? null : 'plain';
  return turned > 0 ? 'turned' : null;
}

const PLAIN = {
  conflict: null,
  overruled: null,
  isUnsigned: false,
  isMostlyPositive: false,
  isTurnedByTexts: false,
  textQuestion: null,
} as const;

/** A choice that a column of the map makes. */
function choice(label: string, key: ColumnKey, column: string): ProblemChoice {
  return { label, options: { map: { [key]: numberOf(column) ?? column } } };
}

/** The number of a column without a name. */
function numberOf(column: string): string | undefined {
  return /^column (\d+)$/.exec(column)?.[1];
}

/** A column as a part of `--map`. */
function flagValue(column: string): string {
  return numberOf(column) ?? (/[",]/.test(column) ? `'"${column.replaceAll('"', '""')}"'` : column);
}

/** Rows that show how a column of words and the signs of the amounts go together. */
export interface Words {
  readonly column: number;
  /** The first word that is not known. */
  unknown: Pick<StatementProblem, 'line' | 'value'> | null;
  blanks: number;
  in: number;
  out: number;
  agree: number;
  contradictions: number;
  /** The first row whose word contradicts the sign of its amount. */
  first: Pick<StatementProblem, 'line' | 'value'> & { amount: string };
}

/** Counts a word next to an amount with a sign of -1, 0 or 1. */
function countWord(words: Words, direction: Direction, sign: number): void {
  if (direction > 0) words.in += 1;
  else words.out += 1;
  if (direction * sign > 0) words.agree += 1;
  if (direction * sign < 0) words.contradictions += 1;
}

/** Where one mark, such as `CR`, is the only word, a blank is its opposite. */
function blankWord(words: Words): Direction | null {
  if (words.blanks === 0) return null;
  return words.in > 0 ? -1 : 1;
}
