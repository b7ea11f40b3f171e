import { posix } from 'node:path';

/** A file and the files that it imports, as paths from the root of the project. */
export interface Imports {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string }[];
}

/**
 * Returns the circles of folders: groups in which each folder imports each other one, directly or through others. A
 * folder and its parent are two folders. Only files whose path matches `where` count.
 */
export function circlesOfFolders(modules: readonly Imports[], where: RegExp): string[][] {
  const imports = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules.filter((each) => where.test(each.source))) {
    const folder = posix.dirname(source);
    const known = imports.get(folder) ?? new Set();
    imports.set(folder, known);
    for (const { resolved } of dependencies)
      if (where.test(resolved) && posix.dirname(resolved) !== folder)
        known.add(posix.dirname(resolved));
  }
  const reached = new Map([...imports.keys()].map((folder) => [folder, reach(imports, folder)]));
  const inCircle = [...reached].filter(([folder, others]) => others.has(folder));
  const circles = inCircle.map(([folder, others]) =>
    [...others].filter((other) => reached.get(other)?.has(folder)).toSorted(),
  );
  return [...new Map(circles.map((circle) => [circle.join(), circle])).values()];
}

/** Returns every folder that the imports of one lead to. */
function reach(imports: ReadonlyMap<string, ReadonlySet<string>>, folder: string): Set<string> {
  const found = new Set(imports.get(folder));
  for (const each of found) for (const next of imports.get(each) ?? []) found.add(next);
  return found;
}
