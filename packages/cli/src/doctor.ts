import type { Finding } from '@coffer/server';
import type { Command } from 'commander';
import { Failure } from './failure.ts';
import { addDatabaseOption, withExistingStore } from './open-database.ts';
import type { DatabaseOptions } from './open-database.ts';
import { count } from './printable.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

interface DoctorOptions extends DatabaseOptions {
  readonly repair?: true;
  readonly json?: true;
}

/** `coffer doctor`. */
export function defineDoctor(doctor: Command, surroundings: Surroundings): void {
  doctor
    .description(
      'Check the database file, and everything that is derived from records against the records. ' +
        'Ends with 1 when something is wrong and not mended.',
    )
    .option('--repair', 'mend what can be mended')
    .option('--json', 'print the findings as a line of JSON');
  addDatabaseOption(doctor).action((options: DoctorOptions) => examine(options, surroundings));
}

async function examine(options: DoctorOptions, surroundings: Surroundings): Promise<void> {
  const findings = await withExistingStore(options, surroundings, (store) =>
    store.check({ repair: options.repair === true }),
  );
  writeLine(surroundings.stdout, options.json === true ? findingsJson(findings) : report(findings));
  const left = findings.filter(({ repaired }) => !repaired).length;
  if (left === 0) return;
  const hint =
    options.repair === true ? 'cannot be mended by --repair' : 'not mended: try --repair';
  throw new Failure(`${count(left, 'finding')} ${hint}`);
}

function findingsJson(findings: readonly Finding[]): string {
  return JSON.stringify({ findings });
}

function report(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Everything agrees';
  return findings
    .map(({ check, detail, repaired }) => `${check}: ${detail}${repaired ? ' (mended)' : ''}`)
    .join('\n');
}
