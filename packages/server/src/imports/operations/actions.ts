/*
 * What other rooms and resources use of imports.
 */
export { importToWire, listImports, importOf } from './records.ts';
export type { ImportRow } from './records.ts';
export type { ImportRecord } from './schema.ts';
export { redoImport, undoImport } from './undo.ts';
export type { UndoneImport } from './undo.ts';
export { workerMs } from './import-service.ts';
export type { CommitWork, ImportProgress, ImportService } from './import-service.ts';
export type { PreviewWork, ReadingWork } from './import-service.ts';
export type { UndoWork } from '../../history/undo/actions.ts';
export type { PreviewOptions } from './preview-options.ts';
export * from './preview-records.ts';
export { verdicts } from './preview-schema.ts';
export type { ImportMapping, ImportPreviewRow, PreviewReport } from './preview-schema.ts';
export type { PreviewVerdict } from './preview-schema.ts';
export { nothingKnown, pageOfRows, statusOf } from './preview-wire.ts';
