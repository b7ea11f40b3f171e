import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { ROOT } from '../house/tracked-files.ts';
import { approveLines } from './approved.ts';

const indexPath = join(ROOT, 'packages/client/src/index.ts');
const program = ts.createProgram([indexPath], {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.asynciterable.d.ts'],
  types: [],
  module: ts.ModuleKind.NodeNext,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
});
const checker = program.getTypeChecker();
const exported = exportsOf(indexPath);

function exportsOf(path: string): ts.Symbol[] {
  const file = program.getSourceFile(path);
  assert.ok(file !== undefined, path);
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(file)!);
  return symbols.map((each) =>
    (each.flags & ts.SymbolFlags.Alias) === 0 ? each : checker.getAliasedSymbol(each),
  );
}

function typeNamed(symbols: readonly ts.Symbol[], name: string): ts.Type {
  return checker.getDeclaredTypeOfSymbol(symbols.find((symbol) => symbol.name === name)!);
}

function memberOf(type: ts.Type, name: string): ts.Type | undefined {
  const member = type.getProperty(name);
  return member && checker.getNonNullableType(checker.getTypeOfSymbol(member));
}

const { NoTruncation, InTypeAlias } = ts.TypeFormatFlags;
function expanded(type: ts.Type): string {
  return checker.typeToString(type, undefined, NoTruncation | InTypeAlias);
}

/** Expanded types and their names in the API documents, the longest first, so that a part of a type comes after it. */
const names = (() => {
  const types = exportsOf(join(ROOT, 'packages/client/src/sending/openapi-types.ts'));
  const schemas = memberOf(typeNamed(types, 'components'), 'schemas')!;
  const ofSchemas = schemas
    .getProperties()
    .map(({ name }) => [expanded(memberOf(schemas, name)!), name] as const);
  const operations = typeNamed(types, 'operations');
  const ofQueries = operations.getProperties().flatMap(({ name }) => {
    const query = memberOf(memberOf(memberOf(operations, name)!, 'parameters')!, 'query');
    return query === undefined ? [] : [[expanded(query), `query of ${name}`] as const];
  });
  const all = [...ofSchemas, ...ofQueries].filter(([text]) => text.startsWith('{'));
  return all.toSorted(([one], [other]) => other.length - one.length);
})();

/** A type with the names of the documents in the place of what they stand for. */
function named(type: ts.Type): string {
  return names.reduce((text, [whole, name]) => text.replaceAll(whole, `<${name}>`), expanded(type));
}

/** The methods of a type and of its members, with the types that they take and return. */
function methodsOf(type: ts.Type, path: string): string[] {
  return type.getProperties().flatMap((member) => {
    const own = checker.getTypeOfSymbol(member);
    const signatures = own.getCallSignatures();
    if (signatures.length === 0) return methodsOf(own, `${path}${member.name}.`);
    return signatures.map((signature) => {
      const parameters = signature.parameters.map((parameter) => {
        const declaration = parameter.valueDeclaration as ts.ParameterDeclaration;
        const isOptional = checker.isOptionalParameter(declaration);
        return named(checker.getTypeOfSymbol(parameter)) + (isOptional ? '?' : '');
      });
      return `${path}${member.name}(${parameters.join(', ')}): ${named(signature.getReturnType())}`;
    });
  });
}

test('the client has its methods and types', () => {
  const methods = methodsOf(typeNamed(exported, 'Client'), '');
  assert.ok(methods.length > 100);
  const aliases = exported
    .filter(({ flags }) => (flags & ts.SymbolFlags.TypeAlias) !== 0)
    .map((symbol) => `${symbol.name} = ${named(checker.getDeclaredTypeOfSymbol(symbol))}`);
  const others = exported
    .filter(({ flags }) => (flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0)
    .map(({ name }) => name);
  approveLines('client', [...methods.toSorted(), ...aliases.toSorted(), ...others.toSorted()]);
});
