import { readFileSync, writeFileSync } from 'node:fs';
import { errorOf, number, size, type CapacityRun } from './costs.ts';
import { markdownTable, placeBetween } from '../report/markdown.ts';

export interface CapacityResult {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly run: CapacityRun;
}

export const resultFile = new URL('../results/capacity.json', import.meta.url);

export const scaleDocument = new URL('../../docs/operate/scale.md', import.meta.url);

export function writeCapacity(result: CapacityResult): void {
  writeFileSync(resultFile, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(scaleDocument, withFigures(readFileSync(scaleDocument, 'utf8'), result));
}

export function withFigures(document: string, result: CapacityResult): string {
  const sizing = [['In the busiest second', 'Needed'], ...size(result.run.costs)];
  const parts = {
    costs: costTable(result),
    check: checkTable(result),
    sizing: markdownTable(sizing),
  };
  return Object.entries(parts).reduce((text, part) => placeBetween(text, ...part), document);
}

function costTable({ run: { costs }, date, commit, machine }: CapacityResult): string {
  const { request, storage } = costs;
  const table = markdownTable([
    ['Cost', 'Measured'],
    ['page of 100: processor time in Coffer', `${number(request.nodeMs, 3)} ms`],
    ['page of 100: processor time in PostgreSQL', `${number(request.postgresMs, 3)} ms`],
    ['page of 100: processor time in Redis', `${number(request.redisMs, 3)} ms`],
    ['page of 100: waits for PostgreSQL', number(request.postgresTrips, 1)],
    ['page of 100: commands of Redis', number(request.redisCommands, 1)],
    ['page of 100: bytes of the response', number(request.bodyBytes)],
    ['page of 100: bytes from PostgreSQL', number(request.postgresBytes)],
    ['imported row: processor time in Coffer', `${number(storage.importNodeUs, 1)} µs`],
    ['imported row: processor time in PostgreSQL', `${number(storage.importPostgresUs, 1)} µs`],
    ['imported row: bytes of the write-ahead log', number(storage.logBytes)],
    ['stored row: bytes with indexes', number(storage.rowBytes)],
    ['client: bytes in Redis', number(storage.sourceBytes)],
  ]);
  return `${table}\n\nRun: ${date}, commit ${commit}, ${machine}.`;
}

function checkTable({ run: { checks } }: CapacityResult): string {
  const rows = checks.map((each) => [
    String(each.nodes),
    number(each.processors, 2),
    each.limitedBy,
    number(each.predictedPerSecond),
    number(each.measuredPerSecond),
    percent(errorOf(each.predictedPerSecond, each.measuredPerSecond)),
    number(each.predictedCpuMs, 2),
    number(each.measuredCpuMs, 2),
    percent(errorOf(each.predictedCpuMs, each.measuredCpuMs)),
  ]);
  const rates = ['Predicted, 1/s', 'Measured, 1/s', 'Error'];
  const times = ['Predicted, ms', 'Measured, ms', 'Error'];
  return markdownTable([['Nodes', 'Processors', 'Limit', ...rates, ...times], ...rows]);
}

function percent(share: number): string {
  return `${share < 0 ? '−' : '+'}${number(Math.abs(share) * 100)} %`;
}
