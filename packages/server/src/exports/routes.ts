import { Type } from 'typebox';
import { FileStream, okFile } from '../operations/responses.ts';
import { word } from '../operations/schema.ts';
import { OpenStreams } from '../operations/open-streams.ts';
import { readInParts } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import type { FileStore } from '../files/store.ts';
import { archiveBook } from './archive/write-archive.ts';
import { asOf } from '../ledger/transactions/earlier/version.ts';
import { exportExamples } from './examples.ts';
import { exportBook } from './lists/export.ts';
import { archiveFile, exportFormats, exportName, inChunks } from './lists/file.ts';
import type { ExportFormat } from './lists/file.ts';

const formats = [...(Object.keys(exportFormats) as readonly ExportFormat[]), 'archive'] as const;
const ExportQuery = Type.Object(
  {
    format: word(formats, {
      default: 'csv',
      description:
        '`csv`: transactions, for spreadsheets and imports. `ndjson`: all records, a JSON object on each line. ' +
        '`archive`: all records and the attached files, for `coffer book import`, as a compressed tar file.',
    }),
    as_of: asOf,
  },
  { additionalProperties: false },
);

/** A slow one keeps a batch in memory: usually one or two megabytes, and many more if all its texts are long. */
const limits = { noun: 'exports', ofCaller: 5, ofNode: 100 };

/** Returns the operation that sends a whole book as a file. */
export function exportRoutes({ files }: { readonly files: FileStore }): readonly Operation[] {
  const open = new OpenStreams(limits);
  return [
    readInParts(
      {
        id: 'exportBook',
        path: '/coffer/export',
        tag: 'export',
        summary: 'Export the book',
        description:
          'Returns the whole book as a file, as of one version: the same bytes as `coffer export` writes. Changes that ' +
          'are made while it is sent are not in it. Its length is not known before. If it cannot be sent whole, the ' +
          'connection ends without the end of the body, so the download fails. A caller can have 5 at a time.',
        query: ExportQuery,
        response: okFile('The file.', exportExamples),
        refusals: { 410: 'Gone' },
      },
      async ({ bookId, identity, query: { format, as_of }, signal }, engine) => {
        open.add(identity.callerId, signal);
        if (format === 'archive') {
          const archive = await archiveBook(engine, bookId, { files, asOf: as_of });
          const { type, extension } = archiveFile;
          return new FileStream({
            name: exportName(archive, extension),
            type,
            pieces: archive.pieces,
          });
        }
        const book = await exportBook(engine, bookId, { asOf: as_of });
        const { type, textsOf } = exportFormats[format];
        return new FileStream({
          name: exportName(book, format),
          type,
          pieces: inChunks(textsOf(book)),
        });
      },
    ),
  ];
}
