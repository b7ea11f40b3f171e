import { folded } from './folded.ts';

/** +1: money in; −1: money out. */
export type Direction = 1 | -1;

const MONEY_OUT = [
  ...['d', 'dr', 'dbit', 'debit', 'debet', 'debito', 'out', 'outflow', 'withdrawal', '-'],
  ...['af', 'uit', 's', 'soll', 'lastschrift', 'belastung', 'cargo', 'adeudo', 'addebito', 'dare'],
  ...['obciążenie', 'udgift', 'výdaj', 'výběr', 'расход', 'списание'],
];
const MONEY_IN = [
  ...['c', 'cr', 'crdt', 'credit', 'credito', 'in', 'inflow', 'deposit', '+', 'bij', 'h', 'haben'],
  ...['gutschrift', 'abono', 'accredito', 'avere', 'uznanie', 'indtægt', 'příjem', 'vklad'],
  ...['приход', 'поступление', 'зачисление'],
];

const DIRECTIONS: ReadonlyMap<string, Direction> = new Map([
  ...MONEY_OUT.map((word) => [folded(word), -1] as const),
  ...MONEY_IN.map((word) => [folded(word), 1] as const),
]);

/** Reads the word that says which way money went, whatever its case and accents; null if it is no such word. */
export function parseDirection(text: string): Direction | null {
  return DIRECTIONS.get(folded(text)) ?? null;
}
