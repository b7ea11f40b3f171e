import { errorOf } from './costs.ts';
import type { CapacityRun } from './costs.ts';
import { markdownTable, placeBetween } from '../report/markdown.ts';
import { largest, size } from './sizing.ts';

/** What was measured, where and when. */
export interface CapacityResult {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly run: CapacityRun;
}

/** `docs/operate/scale.md` with the figures of a run, and what they come to for ten million users. */
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
    ['a page of 100, processor time in Coffer', `${number(request.nodeMs, 3)} ms`],
    ['a page of 100, processor time in PostgreSQL', `${number(request.postgresMs, 3)} ms`],
    ['a page of 100, processor time in Redis', `${number(request.redisMs, 3)} ms`],
    ['a page of 100, waits for PostgreSQL', number(request.postgresTrips, 1)],
    ['a page of 100, commands of Redis', number(request.redisCommands, 1)],
    ['a page of 100, bytes of the answer', number(request.bodyBytes)],
    ['a page of 100, bytes from PostgreSQL', number(request.postgresBytes)],
    ['a row imported, processor time in Coffer', `${number(storage.importNodeUs, 1)} µs`],
    ['a row imported, processor time in PostgreSQL', `${number(storage.importPostgresUs, 1)} µs`],
    ['a row imported, bytes of the write-ahead log', number(storage.logBytes)],
    ['a row kept, bytes with its indexes', number(storage.rowBytes)],
    ['a source of requests, bytes in Redis', number(storage.sourceBytes)],
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
    ['For the busiest second', 'Needed'],
    ['requests', rate(needs.requestsPerSecond)],
    ['rows added', rate(needs.rowsPerSecond)],
    ['nodes, a processor each', number(needs.nodes)],
    ['processors of PostgreSQL', number(needs.postgresProcessors)],
    ['records with their indexes, one copy', bytes(needs.recordBytes)],
    ['shards, by processors', number(needs.shardsByProcessors)],
    ['shards, by room', number(needs.shardsByRoom)],
    ['database machines, all copies', number(needs.databaseMachines)],
    ['write-ahead log of all shards', `${bytes(needs.logBytesPerSecond)} a second`],
    ['from PostgreSQL to the nodes', `${bytes(needs.postgresBytesPerSecond)} a second`],
    ['from the nodes to clients, before gzip', `${bytes(needs.answerBytesPerSecond)} a second`],
    ['commands of Redis', rate(needs.redisCommandsPerSecond)],
    ['processors of Redis', number(needs.redisProcessors, 1)],
    ['memory of Redis, at most', bytes(needs.redisBytes)],
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
