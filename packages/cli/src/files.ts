import { openFiles, parseFilesLocation, settings } from '@coffer/server';
import type { DatabaseConfig, OpenedFiles } from '@coffer/server';
import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { Misuse } from './failure.ts';

/** The option that names the place of attached files. */
export interface FilesOptions {
  readonly files?: string;
}

/** Adds `--files`. */
export function addFilesOption(command: Command): Command {
  const { flag, placeholder, description, variable } = settings.files;
  return command.option(`${flag} ${placeholder}`, `${description} (${variable})`);
}

/** Opens the place where the server of a database keeps files, if it has the same settings. */
export function readFiles(
  { files: option }: FilesOptions,
  database: DatabaseConfig,
  { environment }: CommandContext,
): Promise<OpenedFiles> {
  const { flag, variable } = settings.files;
  const text = option ?? environment[variable] ?? '';
  try {
    const path = database.engine === 'sqlite' ? database.path : null;
    return openFiles(parseFilesLocation(text), path);
  } catch (error) {
    throw new Misuse(`${flag} (${variable}): ${(error as Error).message}`);
  }
}
