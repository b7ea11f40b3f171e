import { quote } from '@coffer/core/text';
import { parseColumnMap, type StatementOptions } from './statement/statement.ts';

/** The options for reading a file, as a user gives them. Those with a fixed set of values have one of them. */
export interface OptionTexts extends Pick<
  StatementOptions,
  'format' | 'dateFormat' | 'decimal' | 'negate' | 'skipBadRows' | 'anyYear'
> {
  /** Columns by name or number, such as `date=Datum,amount=4`. */
  readonly map?: string;
  readonly encoding?: string;
  readonly currency?: string;
}

/** An option with an invalid value, and why, in a sentence that quotes the value. */
export interface OptionProblem {
  readonly option: 'map' | 'encoding' | 'currency';
  readonly reason: string;
}

/** Returns the options for reading a file, and the problems of all that are not valid. */
export function readOptions(texts: OptionTexts): {
  readonly options: StatementOptions;
  readonly problems: readonly OptionProblem[];
} {
  const { map, encoding, currency, ...rest } = texts;
  const problems: OptionProblem[] = [];
  const read = <T>(
    option: OptionProblem['option'],
    text: string | undefined,
    parse: (text: string) => T,
  ): Partial<Record<OptionProblem['option'], T>> => {
    if (text === undefined) return {};
    try {
      return { [option]: parse(text) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push({ option, reason: error.message });
      return {};
    }
  };
  const options = {
    ...rest,
    ...read('map', map, parseColumnMap),
    ...read('encoding', encoding, parseEncoding),
    ...read('currency', currency, parseCurrency),
  } as StatementOptions;
  return { options, problems };
}

function parseEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new RangeError(`${quote(label)} is not a known encoding`);
  }
}

function parseCurrency(code: string): string {
  if (/^[a-z]{3}$/i.test(code)) return code.toLowerCase();
  throw new RangeError(`${quote(code)} is not a currency code of three letters`);
}
