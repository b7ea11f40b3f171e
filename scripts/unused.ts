/*
 * Lists what nothing uses: exports that no other file takes, and files that nothing imports.
 *
 * An export that only tests take counts as unused unless its own file uses it too, except in what is
 * there for tests (`*-contract.ts`, `*-model.ts`, `testing/`) and in a script that package.json
 * names. An exported type is used when an exported signature beside it needs it. Ends with 0 when there is nothing to
 * list, and fails when it has read no files at all.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const TESTS = /(\.test|-contract|-model)\.ts$|(^test|\/testing)\//;
const SOURCES = [
  'packages/*/*.{ts,cjs}',
  'packages/*/{src,build}/**/*.ts',
  '{bench,prove,scripts,test}/**/*.ts',
];
const SCRIPTS = ['*.{js,cjs}', 'scripts/*.cjs'];

/**
 * What another file takes of `file`: an export by its name, everything ("*"), or only that it is
 * loaded or passed on (""), which uses none of its exports.
 */
interface Use {
  file: string;
  name: string;
  isTest: boolean;
}

/** What was read (paths relative to the root), and a line for everything that nothing uses. */
export interface UnusedReport {
  files: string[];
  unused: string[];
}

/** Reads every source file below `root` and finds what nothing uses. */
export function findUnused(root: string): UnusedReport {
  const files = list(root, SOURCES);
  const program = ts.createProgram(
    files.filter((file) => file.endsWith('.ts')).map((file) => join(root, file)),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      allowImportingTsExtensions: true,
      noEmit: true,
      noLib: true,
      types: [],
    },
  );
  const uses = [
    ...files.flatMap((file) => importsOf(root, file, program)),
    ...[...files, ...list(root, SCRIPTS)].flatMap((file) => namedFiles(root, file)),
  ];
  const unused = [...unusedExports(root, files, program, uses), ...unusedFiles(root, files, uses)];
  return { files, unused: unused.toSorted() };
}

function list(root: string, patterns: string[]): string[] {
  const exclude = (path: string): boolean => path.includes('node_modules');
  return globSync(patterns, { cwd: root, exclude }).toSorted();
}

/** Every use that the import and re-export statements of a file make. */
function importsOf(root: string, file: string, program: ts.Program): Use[] {
  const source = program.getSourceFile(join(root, file));
  if (source === undefined) return [];
  return source.statements.flatMap((statement) => {
    const specifier = specifierOf(statement);
    const target = specifier && resolveModule(root, source, specifier, program);
    if (!target) return [];
    const isTest = TESTS.test(file);
    return namesTaken(statement, source).map((name) => ({ file: target, name, isTest }));
  });
}

function specifierOf(statement: ts.Statement): ts.Expression | undefined {
  if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) {
    return statement.moduleSpecifier;
  }
  return undefined;
}

/** The file of ours that the specifier names, relative to the root, or null for a library. */
function resolveModule(
  root: string,
  source: ts.SourceFile,
  specifier: ts.Expression,
  program: ts.Program,
): string | null {
  if (!ts.isStringLiteral(specifier)) return null;
  const { resolvedModule } = ts.resolveModuleName(
    specifier.text,
    source.fileName,
    program.getCompilerOptions(),
    ts.sys,
    undefined,
    undefined,
    ts.ModuleKind.ESNext,
  );
  const path = resolvedModule && relative(root, resolvedModule.resolvedFileName);
  return path === undefined || path.includes('node_modules') ? null : path;
}

function namesTaken(statement: ts.Statement, source: ts.SourceFile): string[] {
  if (ts.isImportDeclaration(statement)) return namesImported(statement.importClause, source);
  if (!ts.isExportDeclaration(statement)) return [];
  const { exportClause } = statement;
  // Whoever takes a name from here takes it from there: see passOn.
  if (exportClause === undefined) return [''];
  return ts.isNamedExports(exportClause) ? exportClause.elements.map(originalName) : ['*'];
}

function originalName(element: ts.ImportSpecifier | ts.ExportSpecifier): string {
  return (element.propertyName ?? element.name).text;
}

function namesImported(clause: ts.ImportClause | undefined, source: ts.SourceFile): string[] {
  if (clause === undefined) return [''];
  const bindings = clause.namedBindings;
  const names = clause.name ? ['default'] : [];
  if (bindings === undefined) return names;
  if (ts.isNamedImports(bindings)) return [...names, ...bindings.elements.map(originalName)];
  return [...names, ...membersTaken(bindings.name.text, source)];
}

/** What is taken of `import * as space`: each `space.member`, or all if it goes on as a whole. */
function membersTaken(space: string, source: ts.SourceFile): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && isNamed(node.expression, space)) {
      names.push(node.name.text);
    } else if (ts.isQualifiedName(node) && isNamed(node.left, space)) {
      names.push(node.right.text);
    } else if (isNamed(node, space) && !ts.isNamespaceImport(node.parent)) {
      names.push('*');
    } else {
      ts.forEachChild(node, visit);
    }
  };
  visit(source);
  return names;
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}

/** Files named in a text, as a dynamic import, a worker or a script of package.json names them. */
function namedFiles(root: string, file: string): Use[] {
  const text = readFileSync(join(root, file), 'utf8');
  const dynamic = /(?:import\(|new URL\(|import\.meta\.resolve\()\s*['"](\.[^'"]+\.ts)['"]/g;
  return [...text.matchAll(dynamic)].map(([, path = '']) => ({
    file: relative(root, resolve(root, dirname(file), path)),
    name: '*',
    isTest: TESTS.test(file),
  }));
}

function* unusedExports(
  root: string,
  files: string[],
  program: ts.Program,
  uses: Use[],
): Generator<string> {
  const checker = program.getTypeChecker();
  const taken = Map.groupBy(passOn(root, program, uses), ({ file }) => file);
  const entries = doors(root);
  for (const file of files) {
    const source = program.getSourceFile(join(root, file));
    const module = source && checker.getSymbolAtLocation(source);
    if (source === undefined || module === undefined) continue;
    for (const symbol of checker.getExportsOfModule(module)) {
      const { name } = symbol;
      if (!isWrittenIn(symbol, source)) continue;
      if (isType(symbol, checker) && (entries.has(file) || countOf(name, source) > 1)) continue;
      const users = (taken.get(file) ?? []).filter((use) => use.name === name || use.name === '*');
      if (users.some(({ isTest }) => !isTest || TESTS.test(file) || entries.has(file))) continue;
      // Taken by a test, and used by its own file: that is code which runs.
      if (users.length > 0 && countOf(name, source) > 1) continue;
      const how = users.length > 0 ? 'used by tests only' : 'not used by any other file';
      yield `${file}: "${name}" is ${how}`;
    }
  }
}

function isType(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  const { flags } = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
  return (flags & ts.SymbolFlags.Type) !== 0 && (flags & ts.SymbolFlags.Value) === 0;
}

/** How often the name is written in the file, its declaration included. */
function countOf(name: string, source: ts.SourceFile): number {
  let count = 0;
  const visit = (node: ts.Node): void => {
    if (isNamed(node, name)) count += 1;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return count;
}

/** False for what comes through \`export *\`, which is judged where it is written. */
function isWrittenIn(symbol: ts.Symbol, source: ts.SourceFile): boolean {
  return symbol.declarations?.some((node) => node.getSourceFile() === source) ?? false;
}

/** The uses, and for each file that says `export * from` another, the same uses of that other. */
function passOn(root: string, program: ts.Program, uses: Use[]): Use[] {
  const all = [...uses];
  for (const use of all) {
    const source = program.getSourceFile(join(root, use.file));
    for (const statement of source?.statements ?? []) {
      if (!ts.isExportDeclaration(statement) || statement.exportClause) continue;
      if (source === undefined || statement.moduleSpecifier === undefined) continue;
      const file = resolveModule(root, source, statement.moduleSpecifier, program);
      if (file !== null) all.push({ ...use, file });
    }
  }
  return all;
}

/** Files that nothing imports and that are no test, script or door of a package either. */
function unusedFiles(root: string, files: string[], uses: Use[]): string[] {
  const reached = new Set(uses.map(({ file }) => file));
  const entries = doors(root);
  // A benchmark starts its programs by their path.
  const isEntry = (file: string): boolean =>
    file.endsWith('.test.ts') || file.startsWith('bench/') || entries.has(file);
  return files
    .filter((file) => !reached.has(file) && !isEntry(file))
    .map((file) => `${file}: nothing imports this file`);
}

/** The files that package.json files name, as scripts, commands or exports. */
function doors(root: string): Set<string> {
  const manifests = list(root, ['package.json', 'packages/*/package.json']);
  const found = manifests.flatMap((manifest) => {
    const text = readFileSync(join(root, manifest), 'utf8');
    const paths = [...text.matchAll(/[\w./-]+\.(?:ts|cjs)\b/g)].map(([path]) => path);
    return paths.map((path) => relative(root, resolve(root, dirname(manifest), path)));
  });
  return new Set(found.filter((path) => existsSync(join(root, path))));
}

function main(): number {
  const { files, unused } = findUnused(ROOT);
  for (const line of unused) console.error(line);
  console.log(`${files.length} files`);
  if (files.length === 0) console.error('No files were read: nothing is checked');
  return files.length > 0 && unused.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main();
