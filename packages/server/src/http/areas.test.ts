import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiOf } from '../all.ts';
import { allOf } from '../operations/operation.ts';
import { noServices } from '../services.ts';
import { Routes } from './routes.ts';

const { areas } = apiOf(noServices);
const all = allOf(areas);
const parameter = /\{[^{}]+\}/g;

/** The id of the operation that is found by routes; by default those that have found nothing before. */
function found(method: string, path: string, routes = new Routes(areas)): string | undefined {
  return routes.find(method, path)?.route.operation.declaration.id;
}

describe('the areas of operations', () => {
  test('each operation is found when its path is the first that is requested', () => {
    for (const { method, declaration } of all) {
      const path = declaration.path.replaceAll(parameter, '1');
      assert.equal(found(method, path), declaration.id, `${method} ${path}`);
    }
  });

  test('a path has the operation that it has when all are declared', () => {
    const whole = new Routes([{ paths: [''], operations: () => all }]);
    const paths = all.map(({ declaration }) => declaration.path);
    const words = new Set(paths.flatMap((path) => path.split('/').slice(3)));
    const targets = paths.flatMap((path) =>
      [...words].map((word) => path.replace(parameter, word)),
    );
    for (const target of new Set(targets.filter((path) => !path.includes('{'))))
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'])
        assert.equal(found(method, target), found(method, target, whole), `${method} ${target}`);
  });

  test('a request declares the operations of its path alone, and once', () => {
    const declared: string[] = [];
    const noting = areas.map(({ paths, operations }) => {
      return { paths, operations: () => (declared.push(...paths), operations()) };
    });
    const routes = new Routes(noting);
    assert.deepEqual(declared, []);
    for (let time = 0; time < 2; time += 1) routes.find('GET', '/v2/tags?limit=1');
    assert.deepEqual(declared, ['/v2/tags']);
    routes.find('GET', '/v2/nothing');
    routes.find('GET', '/v2/tags/1');
    assert.deepEqual(declared, ['/v2/tags', '/v2/tags/{}']);
  });
});
