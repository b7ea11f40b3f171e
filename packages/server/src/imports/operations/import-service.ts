import type { Engine } from '../../db/engine.ts';
import type { Identity } from '../../operations/caller.ts';
import { Problem } from '../../operations/problem.ts';
import type { Choice, PreviewOptions, ImportPreview } from './preview-schema.ts';
import type { ImportRecord } from './schema.ts';
import type { LargeUndos } from '../../history/undo/actions.ts';

/** If a node dies, another one may work on a preview after this time. */
export const workerMs = 120_000;

/** Files with more rows are compared, imported and undone in the background. */
export const mostRowsNow = 2000;

/** How far work has come. */
export type ImportProgress = NonNullable<ImportPreview['progress']>;

/** A preview, and who works on it. */
export interface PreviewWork {
  readonly bookId: number;
  readonly id: number;
  /** Such as `token 12`. */
  readonly actor: string;
  /** Who waits for the result; absent for work that goes on after the response. */
  readonly caller?: Identity;
}

/** A file to read. */
export interface ReadingWork extends PreviewWork {
  /** The open file, if its bytes are not stored yet. The service closes it. */
  readonly file: number;
  readonly bytes: number;
  readonly options: PreviewOptions;
}

/** A preview to import. */
export interface CommitWork extends PreviewWork {
  /** The id of the operation. */
  readonly operation: string;
  readonly bytes: number;
  /** The number of rows that the preview has. */
  readonly entryCount: number;
  readonly options: PreviewOptions;
  /** Whether the request has options, which may be invalid together. */
  readonly isChanged: boolean;
  /** Names of options that are not used, even if they are remembered. */
  readonly without: readonly (keyof PreviewOptions)[];
  readonly choices: readonly Choice[];
}

/**
 * Reads files and imports them. The methods resolve to true when the work is done, and to false when it is continued
 * in the background, because the file is large. They reject with a Problem; work in the background keeps it in the
 * preview.
 */
export interface ImportService extends LargeUndos {
  read(engine: Engine, work: ReadingWork): Promise<boolean>;
  commit(engine: Engine, work: CommitWork): Promise<boolean>;
  /** Returns the undo that this process works on, or that it has refused. */
  undoOf(bookId: number, id: number): ImportRecord['work'];
  /** Returns how far the work on an import has come; null if this process does not work on it. */
  progressOf(bookId: number, id: number): ImportProgress | null;
  /** Ends work that is under way. Nothing of it is kept, or everything. */
  close(): Promise<void>;
}

const refuse = (): Promise<never> => Promise.reject(new Problem('unavailable'));

/** A service that imports nothing. */
export const noImportService: ImportService = {
  read: refuse,
  commit: refuse,
  undo: () => false,
  undoOf: () => null,
  progressOf: () => null,
  close: () => Promise.resolve(),
};
