import { FileStream, okFile } from '../operations/responses.ts';
import { closed, exampleOf, word } from '../operations/schema.ts';
import { OpenStreams } from '../operations/open-streams.ts';
import type { FileStore } from '../files/store.ts';
import { archiveBook } from './archive/write-archive.ts';
import { asOf } from '../ledger/transactions/parameters.ts';
import { Tag } from '../ledger/tags/schema.ts';
import { exportBook } from './lists/export.ts';
import { archiveFile, exportFormats, exportName, type ExportFormat } from './lists/file.ts';
import { read, type Operation } from '../operations/operation.ts';

const formats = [...(Object.keys(exportFormats) as readonly ExportFormat[]), 'archive'] as const;
const ExportQuery = closed({
  format: word(formats, {
    default: 'csv',
    description:
      '`csv`: transactions, for spreadsheets and imports. `ndjson`: all records, a JSON object on each line. ' +
      '`archive`: all records and the attached files, for `coffer book import`, as a compressed tar file.',
  }),
  as_of: asOf,
});

const row =
  '5120,2026-03-14,-7.4000,eur,Corner Bakery,,Checking,Groceries,Holiday,reviewed,2026-03-14-0007';
const book = { type: 'book', id: 1, name: 'My book', primary_currency: 'eur' };

/** Example files by their media types. */
const examples = {
  'text/csv': {
    some: {
      summary: 'One transaction',
      value: `id,date,amount,currency,payee,notes,account,category,tags,status,external_id\n${row}\n`,
    },
  },
  'application/x-ndjson': {
    some: {
      summary: 'A book with one tag',
      value: [book, { type: 'tag', ...exampleOf(Tag) }]
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(''),
    },
  },
  'application/gzip': {},
};

/** A slow one keeps a batch in memory: usually one or two megabytes, and many more if all its texts are long. */
const limits = { noun: 'exports', ofCaller: 5, ofNode: 100 };

/** Returns the operation that sends a whole book as a file. */
export function exportRoutes({ files }: { readonly files: FileStore }): readonly Operation[] {
  const open = new OpenStreams(limits);
  return [
    read(
      {
        id: 'exportBook',
        path: '/coffer/export',
        tag: 'export',
        summary: 'Export the book',
        description:
          'Returns the whole book as a file, as of one version: the same bytes as `coffer export` writes. Changes that ' +
          'are made while it is sent are not in it. Its length is not known before. If it cannot be sent whole, the ' +
          'connection ends without the end of the body, so the download fails. A caller can have 5 at a time.',
        size: 'unbounded',
        query: ExportQuery,
        response: okFile('The file.', examples),
        refusals: { 410: 'Gone' },
      },
      async ({ bookId, query: { format, as_of } }, engine) => {
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
        const { type, piecesOf } = exportFormats[format];
        return new FileStream({
          name: exportName(book, format),
          type,
          pieces: piecesOf(book),
        });
      },
      { inParts: true, admit: ({ callerId }, signal) => open.add(callerId, signal) },
    ),
  ];
}
