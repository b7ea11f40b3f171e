import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { errorOf, predict, largest, size, type RequestCosts } from './costs.ts';
import { placeBetween } from '../report/markdown.ts';
import { resultFile, scaleDocument, withFigures, type CapacityResult } from './scale-document.ts';

const request: RequestCosts = {
  nodeMs: 0.5,
  postgresMs: 0.3,
  redisMs: 0.05,
  clientMs: 0.15,
  postgresTrips: 6,
  redisCommands: 1,
  bodyBytes: 50_000,
  postgresBytes: 55_000,
};
const storage = {
  importNodeUs: 10,
  importPostgresUs: 20,
  rowBytes: 1000,
  logBytes: 1200,
  sourceBytes: 200,
};

describe('the capacity model', () => {
  it('reports what is used up first', () => {
    const of = (costs: Partial<RequestCosts>, nodes: number, processors: number): unknown[] => {
      const predicted = predict({ ...request, ...costs }, nodes, processors);
      return [predicted.limitedBy, Math.round(predicted.predictedPerSecond)];
    };
    assert.deepEqual(of({}, 1, 1), ['the machine', 1000]);
    assert.deepEqual(of({}, 1, 8), ['a node', 2000]);
    assert.deepEqual(of({}, 2, 8), ['a node', 4000]);
    assert.deepEqual(of({ clientMs: 0.4 }, 4, 8), ['the client', 2500]);
    assert.deepEqual(of({ redisMs: 2 }, 4, 8), ['Redis', 500]);
  });

  it('does not include the client in the costs of the servers', () => {
    assert.equal(predict(request, 1, 2).predictedCpuMs.toFixed(6), '0.850000');
  });

  it('is never faster with fewer nodes or processors', () => {
    const few = fc.integer({ min: 1, max: 64 });
    const property = fc.property(few, few, few, few, (nodes, more, processors, others) => {
      const rate = predict(request, nodes, processors).predictedPerSecond;
      for (const grown of [
        predict(request, nodes + more, processors),
        predict(request, nodes, processors + others),
      ])
        assert.ok(grown.predictedPerSecond >= rate);
    });
    fc.assert(property);
  });

  it('returns errors as a share of the measured value, positive when it predicts too much', () => {
    assert.deepEqual([errorOf(150, 100), errorOf(50, 100)], [0.5, -0.5]);
  });
});

describe('the size for ten million users', () => {
  const needs = (assumed = largest) => Object.fromEntries(size({ request, storage }, assumed));

  it('is computed from the costs and the assumptions', () => {
    assert.deepEqual(needs(), {
      // 10,000,000 users × 20 a day ÷ 86,400 s × 4.
      requests: '9,259 a second',
      'rows added': '1,389 a second',
      // (9,259 × 0.5 ms + 1,389 × 10 µs) ÷ 0.5 = 9.29.
      'nodes with one processor each': '10',
      // (9,259 × 0.3 ms + 1,389 × 20 µs) ÷ 0.5 = 5.61.
      'processors of PostgreSQL': '6',
      'records with their indexes, one copy': '100.0 TB',
      'shards, by processors': '1',
      'shards, by disk space': '25',
      'database machines, with copies': '50',
      'write-ahead log of all shards': '1.7 MB a second',
      'from PostgreSQL to the nodes': '509.3 MB a second',
      'from the nodes to clients, before gzip': '463.0 MB a second',
      'commands of Redis': '9,259 a second',
      'processors of Redis': '0.9',
      'largest memory of Redis': '111.1 MB',
    });
  });

  it('has enough database machines for the load, and their copies', () => {
    const roomy = needs({ ...largest, bytesOfDatabaseMachine: 1e15, peak: 40 });
    assert.equal(roomy['shards, by processors'], '4');
    assert.equal(roomy['database machines, with copies'], '8');
  });
});

describe('docs/operate/scale.md', () => {
  const text = readFileSync(scaleDocument, 'utf8');

  it('has the figures of the stored run, and the results of the model', () => {
    const result = JSON.parse(readFileSync(resultFile, 'utf8')) as CapacityResult;
    assert.equal(withFigures(text, result), text);
    for (const name of ['costs', 'check', 'sizing'])
      assert.notEqual(placeBetween(text, name, 'something else'), text, name);
  });

  it('lists the assumptions of the model', () => {
    const said = [
      `${largest.users.toLocaleString('en')} users, ${(largest.rows / largest.users).toLocaleString('en')} rows each`,
      `asks for ${largest.requestsPerUserAndDay} pages of 100 a day, and gets ${largest.rowsPerUserAndDay} new rows a day`,
      `the busiest second has ${largest.peak} times the mean of a day`,
      `has ${largest.processorsOfDatabaseMachine} processors, and room for ${largest.bytesOfDatabaseMachine / 1e12} TB of records`,
    ];
    for (const sentence of said) assert.ok(text.includes(sentence), sentence);
    assert.deepEqual([largest.usedShare, largest.copies], [0.5, 2], 'half busy, a second copy');
  });
});
