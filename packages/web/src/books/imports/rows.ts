import type { ImportPreviewRow, ImportPreview } from '../types.ts';

/** The verdicts on rows, in the order in which they are shown. */
export const verdicts = ['new', 'doubtful', 'known', 'replaces', 'bad'] as const;

/** A verdict on a row. */
export type Verdict = (typeof verdicts)[number];

/** What a person has decided about a row. */
export interface Decision {
  readonly keeps: boolean;
  readonly verdict: Verdict;
}

/** What a person has decided about rows. */
export interface Decisions {
  /** By the number of the row. */
  readonly rows: ReadonlyMap<number, Decision>;
  /** Whether doubtful rows are imported that have no decision of their own; null: those that the server imports. */
  readonly keepsDoubtful: boolean | null;
}

export const noDecisions: Decisions = { rows: new Map(), keepsDoubtful: null };

/** What the server says about a row. */
type PreviewRow = Pick<ImportPreviewRow, 'number' | 'verdict' | 'is_imported'>;

/** Whether a row would be imported without a decision of its own. */
function isUsuallyImported({ verdict, is_imported }: PreviewRow, decisions: Decisions): boolean {
  return (verdict === 'doubtful' ? decisions.keepsDoubtful : null) ?? is_imported;
}

/** Whether a row becomes a transaction. */
export function isImported(row: PreviewRow, decisions: Decisions): boolean {
  const decided = row.number === null ? undefined : decisions.rows.get(row.number);
  return decided?.keeps ?? isUsuallyImported(row, decisions);
}

/** Turns a row around. A bad row, and one that takes the place of a pending transaction, stay as they are. */
export function turn(row: PreviewRow, decisions: Decisions): Decisions {
  if (row.number === null || !isChoosable(row)) return decisions;
  const rows = new Map(decisions.rows);
  const keeps = !isImported(row, decisions);
  if (keeps === isUsuallyImported(row, decisions)) rows.delete(row.number);
  else rows.set(row.number, { keeps, verdict: row.verdict });
  return { ...decisions, rows };
}

/** Whether a person can decide about a row. */
export function isChoosable({ number, verdict }: PreviewRow): boolean {
  return number !== null && verdict !== 'bad' && verdict !== 'replaces';
}

/** Decides about all doubtful rows at once, in place of the decisions about single ones. */
export function decideDoubtful(keepsDoubtful: boolean, { rows }: Decisions): Decisions {
  const others = [...rows].filter(([, { verdict }]) => verdict !== 'doubtful');
  return { rows: new Map(others), keepsDoubtful };
}

/** What the server would import without decisions. */
export type Usual = Pick<ImportPreview, 'verdicts' | 'imported' | 'doubtful_imported'>;

/** Whether all doubtful rows are imported without decisions about single ones, or none; null for some. */
export function keepsAllDoubtful(usual: Usual, { keepsDoubtful }: Decisions): boolean | null {
  const { verdicts: counts, doubtful_imported: kept } = usual;
  if (keepsDoubtful !== null) return keepsDoubtful;
  return kept === counts.doubtful ? true : kept === 0 ? false : null;
}

/** How many rows become transactions. */
export function countImported(
  { verdicts: counts, imported, doubtful_imported: kept }: Usual,
  { rows, keepsDoubtful }: Decisions,
): number {
  let count = imported;
  if (keepsDoubtful !== null) count += (keepsDoubtful ? counts.doubtful : 0) - kept;
  for (const { keeps } of rows.values()) count += keeps ? 1 : -1;
  return Math.max(count, 0);
}

/** The choices of a commit. */
export function choicesOf({ rows }: Decisions): { number: number; action: 'keep' | 'skip' }[] {
  return [...rows].map(([number, { keeps }]) => ({ number, action: keeps ? 'keep' : 'skip' }));
}

/** Writes decisions for the storage of the browser. */
export function writeDecisions({ rows, keepsDoubtful }: Decisions): string {
  return JSON.stringify({ rows: [...rows], keepsDoubtful });
}

/** Reads stored decisions; none from a text that is no such thing. */
export function readDecisions(text: string | null): Decisions {
  try {
    const value = JSON.parse(text ?? '') as {
      rows: [number, Decision][];
      keepsDoubtful: boolean | null;
    };
    const isValid = value.rows.every(
      ([number, { keeps, verdict }]) =>
        Number.isSafeInteger(number) && typeof keeps === 'boolean' && verdicts.includes(verdict),
    );
    if (!isValid) return noDecisions;
    return { rows: new Map(value.rows), keepsDoubtful: value.keepsDoubtful ?? null };
  } catch {
    return noDecisions;
  }
}
