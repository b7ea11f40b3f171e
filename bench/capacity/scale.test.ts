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
      const { limitedBy, requestsPerSecond } = predict({ ...request, ...costs }, nodes, processors);
      return [limitedBy, Math.round(requestsPerSecond)];
    };
    assert.deepEqual(of({}, 1, 1), ['the machine', 1000]);
    assert.deepEqual(of({}, 1, 8), ['a node', 2000]);
    assert.deepEqual(of({}, 2, 8), ['a node', 4000]);
    assert.deepEqual(of({ clientMs: 0.4 }, 4, 8), ['the client', 2500]);
    assert.deepEqual(of({ redisMs: 2 }, 4, 8), ['Redis', 500]);
  });

  it('does not include the client in the costs of the servers', () => {
    assert.equal(predict(request, 1, 2).cpuMs.toFixed(6), '0.850000');
  });

  it('is never faster with fewer nodes or processors', () => {
    const few = fc.integer({ min: 1, max: 64 });
    const property = fc.property(few, few, few, few, (nodes, more, processors, others) => {
      const rate = predict(request, nodes, processors).requestsPerSecond;
      assert.ok(predict(request, nodes + more, processors).requestsPerSecond >= rate);
      assert.ok(predict(request, nodes, processors + others).requestsPerSecond >= rate);
    });
    fc.assert(property);
  });

  it('returns errors as a share of the measured value, positive when it predicts too much', () => {
    assert.deepEqual([errorOf(150, 100), errorOf(50, 100)], [0.5, -0.5]);
  });
});

describe('the size for ten million users', () => {
  const needs = size({ request, storage }, largest);

  it('is computed from the costs and the assumptions', () => {
    // 10,000,000 users × 20 a day ÷ 86,400 s × 4.
    assert.equal(Math.round(needs.requestsPerSecond), 9259);
    assert.equal(Math.round(needs.rowsPerSecond), 1389);
    // (9,259 × 0.5 ms + 1,389 × 10 µs) ÷ 0.5 = 9.29.
    assert.equal(needs.nodes, 10);
    // (9,259 × 0.3 ms + 1,389 × 20 µs) ÷ 0.5 = 5.61.
    assert.equal(needs.postgresProcessors, 6);
    assert.equal(needs.recordBytes, 1e14);
    assert.equal(Math.round(needs.logBytesPerSecond), 1_666_667);
    assert.equal(Math.round(needs.redisBytes), 111_111_111);
    assert.equal(Math.round(needs.redisCommandsPerSecond), 9259);
  });

  it('has enough database machines for the storage and for the load, and their copies', () => {
    assert.deepEqual(
      [needs.shardsByRoom, needs.shardsByProcessors, needs.databaseMachines],
      [25, 1, 50],
    );
    const roomy = size(
      { request, storage },
      { ...largest, bytesOfDatabaseMachine: 1e15, peak: 40 },
    );
    assert.deepEqual(
      [roomy.shardsByRoom, roomy.shardsByProcessors, roomy.databaseMachines],
      [1, 4, 8],
    );
  });
});

describe('docs/operate/scale.md', () => {
  const text = readFileSync(scaleDocument, 'utf8');

  it('has the figures of the stored run, and the results of the model', () => {
    const result = JSON.parse(readFileSync(resultFile, 'utf8')) as CapacityResult;
    assert.equal(withFigures(text, result), text);
  });

  it('has a marked place for each of its tables', () => {
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
