import { installOnDemand } from '../../scripts/on-demand.ts';

/** Loads a tool that only few checks need, and installs it before. Throws if npm cannot get it. */
export async function loadTool<T>(name: string): Promise<T> {
  const missing = installOnDemand(import.meta.dirname);
  if (missing !== false) throw new Error(missing);
  return (await import(name)) as T;
}
