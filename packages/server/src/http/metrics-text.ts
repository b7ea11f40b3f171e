import type { LogExtent, Readiness } from '../db/readiness.ts';
import type { LastBackups } from '../maintenance/scheduled/backup-job.ts';
import type { Metric, Registry } from 'prom-client';
import type { Sharing } from '../limiter/limiter.ts';
import type { WebhookCounts } from '../webhooks/rules.ts';
import type { OperationThreads } from '../operations/threads.ts';
import type { PageCache } from './page-cache.ts';
import { durationBounds, type Metrics, type RequestSeries } from './metrics.ts';

/** The sources of the metrics. */
export interface MetricsSources {
  readonly metrics: Metrics;
  readonly version: string;
  readonly readiness: () => Promise<Readiness>;
  /** How far back the change log goes; null if that could not be read. */
  readonly logExtent: () => Promise<LogExtent | null>;
  /** The time between two backups; null if the server makes none. */
  readonly backupEveryMs: number | null;
  /** The last backups of all nodes; null if they could not be read. */
  readonly lastBackups: () => Promise<LastBackups | null>;
  readonly isStopping: () => boolean;
  /** How many windows the limiter keeps; null when unknown. */
  readonly limiterClients: () => number | null;
  /** How the limiter shares its counts; null when it does not share them. */
  readonly sharing: () => Sharing | null;
  /** Null without a page cache. */
  readonly pageCache: Pick<PageCache, 'counts'> | null;
  /** What threads do; nullish when there are none. */
  readonly threads?: Pick<OperationThreads, 'counts'> | null | undefined;
  /** What this node delivered to webhooks; undefined when it delivers nothing. */
  readonly webhookCounts?: WebhookCounts | undefined;
  /** The number of open connections. */
  readonly connections: () => Promise<number>;
}

/** The printed metrics. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

interface Sample {
  /** The name of the family by default. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Metrics that share a name, computed each time they are read. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly read: () => readonly Sample[] | Promise<readonly Sample[]>;
}

/**
 * Returns a function that prints all metrics in the text format of Prometheus, version 0.0.4.
 *
 * The library is loaded at the first call. The metrics of the process and of Node start then.
 */
export function metricsPrinter(sources: MetricsSources): () => Promise<MetricsText> {
  let registry: Promise<Registry> | undefined;
  return async () => {
    registry ??= openRegistry(sources);
    const { contentType, metrics } = await registry.then((open) => ({
      contentType: open.contentType,
      metrics: open.metrics(),
    }));
    return { contentType, text: await metrics };
  };
}

async function openRegistry(sources: MetricsSources): Promise<Registry> {
  // The default export, because a bundler does not see the named exports of CommonJS.
  const { default: library } = await import('prom-client');
  const registry = new library.Registry();
  for (const family of [
    ...requestFamilies(sources),
    ...stateFamilies(sources),
    ...threadFamilies(sources),
    ...pageCacheFamilies(sources),
    ...logFamilies(sources),
    ...webhookFamilies(sources),
    ...backupFamilies(sources),
  ])
    registry.registerMetric(asMetric(family));
  library.collectDefaultMetrics({ register: registry });
  return registry;
}

/** Returns what the registry needs of a metric. The metric types of the library would count everything twice. */
function asMetric({ name, help, type, read }: Family): Metric {
  const get = async () => ({ name, help, type, aggregator: 'sum', values: await read() });
  return { name, get } as unknown as Metric;
}

function requestFamilies({ metrics, connections }: MetricsSources): Family[] {
  return [
    counter(
      'coffer_http_requests_total',
      'Requests by route, method and status; "none" when the caller disconnected before a response started.',
      () => [...metrics.requests()].flatMap(statusSamples),
    ),
    histogram(
      'coffer_http_request_duration_seconds',
      'Time from the header of a request to the last byte of its response.',
      () => [...metrics.requests()].flatMap(durationSamples),
    ),
    gauge('coffer_http_requests_in_flight', 'Requests that are being handled.', () => [
      plain(metrics.inFlight),
    ]),
    counter(
      'coffer_http_unparsable_total',
      'Bytes that were not a valid request, by the status of the response.',
      () => [...metrics.unparsable].map(([status, value]) => ({ labels: { status }, value })),
    ),
    gauge('coffer_http_connections', 'Open connections.', async () => [plain(await connections())]),
    counter(
      'coffer_rate_limited_requests_total',
      'Requests over the rate limit, refused with 429.',
      () => [plain(countOf(metrics, 429))],
    ),
  ];
}

function stateFamilies(sources: MetricsSources): Family[] {
  const { metrics, version, isStopping, limiterClients, sharing, readiness } = sources;
  const ofSharing = (figure: (of: Sharing) => number): Sample[] =>
    [sharing()].filter((found) => found !== null).map((found) => plain(figure(found)));
  const whether = (is: (found: Readiness) => boolean) => async () => [
    plain(Number(is(await readiness()))),
  ];
  const isReady = ({ canRead, canWrite }: Readiness) => canRead && canWrite && !isStopping();
  return [
    gauge(
      'coffer_rate_limit_sources',
      'Clients with a running window of the rate limit in the memory of this process.',
      () => [limiterClients()].filter((count) => count !== null).map(plain),
    ),
    gauge(
      'coffer_rate_limit_shared',
      '1 when the rate limit is shared over Redis, 0 when this node counts locally.',
      () => ofSharing(({ isShared }) => Number(isShared)),
    ),
    counter(
      'coffer_rate_limit_fallbacks_total',
      'Requests that this node counted locally because Redis was not available.',
      () => ofSharing(({ fallbacks }) => fallbacks),
    ),
    counter(
      'coffer_store_failures_total',
      'Requests that failed because of the database, by reason.',
      () => byKey('reason', metrics.storeFailures),
    ),
    counter(
      'coffer_crypto_refresh_failures_total',
      'Refreshes of synced crypto that failed, by reason.',
      () => byKey('reason', metrics.refreshFailures),
    ),
    gauge('coffer_ready', '1 when /readyz returns 200, else 0.', whether(isReady)),
    gauge(
      'coffer_store_can_read',
      '1 when records can be read, else 0.',
      whether(({ canRead }) => canRead),
    ),
    gauge(
      'coffer_store_can_write',
      '1 when records can be written, else 0.',
      whether(({ canWrite }) => canWrite),
    ),
    gauge('coffer_build_info', 'Always 1; the labels are the versions of Coffer and Node.', () => [
      { labels: { version, node: process.versions.node }, value: 1 },
    ]),
  ];
}

function pageCacheFamilies({ pageCache: cache }: MetricsSources): Family[] {
  if (cache === null) return [];
  return [
    counter(
      'coffer_page_cache_requests_total',
      'Requests for a body that can be in the page cache, by result: "hit" or "miss".',
      () => {
        const { hits: hit, misses: miss } = cache.counts;
        return byKey('result', { hit, miss });
      },
    ),
    gauge('coffer_page_cache_bytes', 'Bytes that the page cache holds.', () => [
      plain(cache.counts.bytes),
    ]),
    gauge('coffer_page_cache_capacity_bytes', 'Bytes that the page cache holds at most.', () => [
      plain(cache.counts.capacityBytes),
    ]),
  ];
}

function threadFamilies({ threads }: MetricsSources): Family[] {
  if (!threads) return [];
  const figure = (name: keyof OperationThreads['counts'], help: string): Family => ({
    name: `${name === 'threads' ? 'coffer_threads' : `coffer_threads_${name}`}${name === 'refused' ? '_total' : ''}`,
    help,
    type: name === 'refused' ? 'counter' : 'gauge',
    read: () => [plain(threads.counts[name])],
  });
  return [
    figure('threads', 'Threads that work on large requests, or wait for some.'),
    figure('running', 'Large requests and imports that a thread works on.'),
    figure('waiting', 'Large requests and imports that wait for a thread.'),
    figure('refused', 'Large requests that were refused with 503 because too many were waiting.'),
  ];
}

function logFamilies({ logExtent }: MetricsSources): Family[] {
  return [
    gauge('coffer_change_log_versions', 'Changes in the change logs of all books.', async () => {
      const extent = await logExtent();
      return extent === null ? [] : [plain(extent.versions)];
    }),
    gauge(
      'coffer_change_log_oldest_timestamp_seconds',
      'Time of the oldest change in the change logs, in seconds since the Unix epoch.',
      async () => {
        const at = (await logExtent())?.oldest_at ?? null;
        return at === null ? [] : [plain(Date.parse(at) / 1000)];
      },
    ),
  ];
}

/** A node without a schedule has none of them. Zero is the time of a backup that never was. */
function backupFamilies({ backupEveryMs, lastBackups }: MetricsSources): Family[] {
  if (backupEveryMs === null) return [];
  const timeOf = (outcome: keyof LastBackups) => async () => {
    const last = await lastBackups();
    return last === null ? [] : [plain(Date.parse(last[outcome]?.at ?? epoch) / 1000)];
  };
  return [
    gauge(
      'coffer_backup_last_success_timestamp_seconds',
      'Time at which the last complete backup began, in seconds since the Unix epoch; 0 for none.',
      timeOf('succeeded'),
    ),
    gauge(
      'coffer_backup_last_failure_timestamp_seconds',
      'Time at which the last backup began that failed or lacks attached files; 0 for none.',
      timeOf('failed'),
    ),
    gauge('coffer_backup_interval_seconds', 'Time between two backups.', () => [
      plain(backupEveryMs / 1000),
    ]),
  ];
}

const epoch = '1970-01-01T00:00:00.000Z';

function webhookFamilies({ webhookCounts: counts }: MetricsSources): Family[] {
  if (counts === undefined) return [];
  return [
    counter(
      'coffer_webhook_attempts_total',
      'Attempts of this node to deliver events to webhooks, by result.',
      () => byKey('result', { delivered: counts.delivered, failed: counts.failed }),
    ),
    counter('coffer_webhooks_disabled_total', 'Webhooks that this node disabled, by reason.', () =>
      byKey('reason', counts.disabled),
    ),
  ];
}

const familyOf =
  (type: Family['type']) =>
  (name: string, help: string, read: Family['read']): Family => ({ name, help, type, read });
const [counter, gauge, histogram] = [familyOf('counter'), familyOf('gauge'), familyOf('histogram')];

function statusSamples({ route, method, statuses }: RequestSeries): Sample[] {
  return [...statuses].map(([status, value]) => ({ labels: { route, method, status }, value }));
}

function durationSamples({ route, method, buckets, durationSeconds }: RequestSeries): Sample[] {
  const name = 'coffer_http_request_duration_seconds';
  let count = 0;
  const upTo = [...buckets].map((value, index) => {
    count += value;
    const le = durationBounds[index] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { route, method, le }, value: count };
  });
  const labels = { route, method };
  return [
    ...upTo,
    { metricName: `${name}_sum`, labels, value: durationSeconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

function countOf(metrics: Metrics, status: number): number {
  return [...metrics.requests()].reduce(
    (sum, { statuses }) => sum + (statuses.get(status) ?? 0),
    0,
  );
}

function byKey(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([key, value]) => ({ labels: { [label]: key }, value }));
}

function plain(value: number): Sample {
  return { labels: {}, value };
}
