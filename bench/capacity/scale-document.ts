import { readFileSync, writeFileSync } from 'node:fs';
import { errorOf, largest, size, type CapacityRun } from './costs.ts';
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
  const parts = {
    costs: costTable(result),
    check: checkTable(result),
    sizing: sizingTable(result),
  };
  return Object.entries(parts).reduce(
    (text, [name, part]) => placeBetween(text, name, part),
    document,
  );
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

function sizingTable({ run: { costs } }: CapacityResult): string {
  const needs = size(costs, largest);
  const rate = (value: number): string => `${number(value)} a second`;
  return markdownTable([
    ['In the busiest second', 'Needed'],
    ['requests', rate(needs.requestsPerSecond)],
    ['rows added', rate(needs.rowsPerSecond)],
    ['nodes with one processor each', number(needs.nodes)],
    ['processors of PostgreSQL', number(needs.postgresProcessors)],
    ['records with their indexes, one copy', bytes(needs.recordBytes)],
    ['shards, by processors', number(needs.shardsByProcessors)],
    ['shards, by disk space', number(needs.shardsByRoom)],
    ['database machines, with copies', number(needs.databaseMachines)],
    ['write-ahead log of all shards', `${bytes(needs.logBytesPerSecond)} a second`],
    ['from PostgreSQL to the nodes', `${bytes(needs.postgresBytesPerSecond)} a second`],
    ['from the nodes to clients, before gzip', `${bytes(needs.answerBytesPerSecond)} a second`],
    ['commands of Redis', rate(needs.redisCommandsPerSecond)],
    ['processors of Redis', number(needs.redisProcessors, 1)],
    ['largest memory of Redis', bytes(needs.redisBytes)],
  ]);
}

function number(value: number, digits = 0): string {
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

function percent(share: number): string {
  return `${share < 0 ? '−' : '+'}${number(Math.abs(share) * 100)} %`;
}

function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${number(value / 1000 ** power, 1)} ${units[power] ?? ''}`;
}
