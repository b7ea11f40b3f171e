import { delimiter } from 'node:path';

/** What a user has on PATH: the Node and npm of this machine, without the programs of this repository. */
export const userPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);
