import { fileURLToPath } from 'node:url';
import { installOnDemand } from '../../scripts/on-demand.ts';

/** Why tests that drive the clients of others must be skipped, or false. They are installed at the first import. */
export const noClients = installOnDemand(import.meta.dirname);

/** Loads a module of these clients. `T` is the part of it that the caller uses. */
export async function load<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}

export function pathOf(name: string): string {
  return fileURLToPath(import.meta.resolve(name));
}
