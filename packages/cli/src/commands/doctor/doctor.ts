import { keyId } from '@coffer/server/src/outside/credentials.ts';
import { printable } from '@coffer/core/text';
import { checkDatabase, checkFiles } from '@coffer/server/src/maintenance/doctor.ts';
import { checkKey } from '@coffer/server/src/maintenance/encryption-key.ts';
import { logSizeOf, notesOf, type LogSize } from '@coffer/server/src/maintenance/notes.ts';
import type { Finding } from '@coffer/server/src/maintenance/finding.ts';
import type { Command } from 'commander';
import { perform } from '../options.ts';
import { writeLine, writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import {
  addDatabaseOption,
  addFilesOption,
  openFilesOf,
  readExistingDatabase,
  withDatabase,
} from '../database.ts';
import type { DatabaseOptions, FilesOptions } from '../database.ts';
import { Failure } from '../../terminal/failure.ts';
import { readKey } from '../environment.ts';
import { count, inUnits } from '../../terminal/format.ts';

interface DoctorOptions extends DatabaseOptions, FilesOptions, JsonOption {
  readonly repair?: true;
}

/** `coffer doctor`. */
export function define(doctor: Command, context: CommandContext): void {
  doctor
    .description(
      'Check the database file and the attached files, and compare all derived data with the records. ' +
        'The exit code is 1 if a problem was found and not fixed.',
    )
    .option('--repair', 'fix derived data')
    .option('--json', 'print the findings as a line of JSON');
  perform(addDatabaseOption(addFilesOption(doctor)), context, examine);
}

async function examine(options: DoctorOptions, context: CommandContext): Promise<void> {
  const config = readExistingDatabase(options, context);
  const key = readKey(context.environment);
  const place = await openFilesOf(options, config, context);
  const { findings, notes, change_log } = await withDatabase(config, context, async (database) => {
    const found = await checkDatabase(database, { repair: options.repair === true });
    const sealed = await database.readStatement(() => checkKey(key && keyId(key)));
    const files = await checkFiles(database, place.store);
    return {
      findings: [...found, ...sealed, ...files.findings],
      notes: [...(await notesOf(database)), ...files.notes],
      change_log: await logSizeOf(database),
    };
  }).finally(place.close);
  const record = { findings, ...(notes.length > 0 && { notes }), change_log };
  writeResult(context, options, record, report(findings));
  // They are no findings: nothing is wrong.
  if (options.json !== true)
    for (const note of [...notes, sizeText(change_log)])
      writeLine(context.stderr, `Note: ${printable(note)}`);
  const left = findings
    .filter(({ repaired }) => !repaired)
    .reduce((sum, { count: number = 1 }) => sum + number, 0);
  if (left === 0) return;
  const hint =
    options.repair === true ? 'cannot be fixed with --repair' : 'not fixed. Try --repair';
  throw new Failure(`${count(left, 'finding')} ${hint}`);
}

function sizeText({ versions, lines, bytes, oldest_at }: LogSize): string {
  const size = `${count(versions, 'change')}, ${count(lines, 'line')}, ${inUnits(bytes)}`;
  return `Change log: ${size}${oldest_at === null ? '' : `, since ${oldest_at.slice(0, 10)}`}`;
}

function report(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Everything agrees';
  return findings
    .map(({ check, detail, repaired }) => `${check}: ${detail}${repaired ? ' (fixed)' : ''}`)
    .join('\n');
}
