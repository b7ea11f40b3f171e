import { Readable } from 'node:stream';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { csvRows } from './csv-rows.ts';
import { addBookOptions, findBook } from './find-book.ts';
import type { BookOptions } from './find-book.ts';
import { ndjsonLines } from './ndjson-lines.ts';
import { addDatabaseOption, withExistingStore } from './open-database.ts';
import type { DatabaseOptions } from './open-database.ts';
import type { Surroundings } from './surroundings.ts';
import { writeWholeFile } from './whole-file.ts';

interface ExportOptions extends DatabaseOptions, BookOptions {
  readonly format: keyof typeof formats;
  readonly output?: string;
}

const formats = { csv: csvRows, ndjson: ndjsonLines };
const chunkCharacters = 65_536;

/** `coffer export`. */
export function defineExport(command: Command, surroundings: Surroundings): void {
  const format = command
    .createOption(
      '--format <format>',
      'csv: the money, for spreadsheets and imports; ndjson: everything',
    )
    .choices(Object.keys(formats))
    .default('csv');
  command
    .description('Write a whole book, as it was at one moment, to stdout or to a file.')
    .addOption(format)
    .option('--output <file>', 'write to this file, which appears when it is whole');
  addBookOptions(command);
  addDatabaseOption(command).action((options: ExportOptions) => exportBook(options, surroundings));
}

async function exportBook(options: ExportOptions, surroundings: Surroundings): Promise<void> {
  await withExistingStore(options, surroundings, async (store) => {
    const { id } = await findBook(store, options);
    const write = async (destination: Writable): Promise<void> => {
      const chunks = inChunks(formats[options.format](store.exportBook(id)));
      await pipeline(Readable.from(chunks), destination, {
        end: destination !== surroundings.stdout,
      });
    };
    if (options.output !== undefined) return writeWholeFile(options.output, write);
    await write(surroundings.stdout).catch(ignoreClosedPipe);
  });
}

/** Joins short texts, so that a book of a million rows is not a million writes. */
function* inChunks(texts: Iterable<string>): Generator<Buffer> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < chunkCharacters) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/** A reader such as `head` may have seen enough. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}
