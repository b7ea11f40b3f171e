import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { S3StoreOptions } from '../../files/s3.ts';
import { FileStoreError, type S3Location, type FileStore } from '../../files/store.ts';

/** A backup that was downloaded from a bucket. */
export interface FetchedBackup {
  readonly file: string;
  /** Its address, without secrets. */
  readonly address: string;
  /** The attached files of all backups in the bucket. */
  readonly files: FileStore;
  /** Deletes the download. */
  discard(): Promise<void>;
}

const madeName = /^(.*)-(\d{8}T\d{6}Z)\.bak$/;

/**
 * Downloads a backup of SQLite that a server made into a bucket, to a private folder next to `database`. The location
 * names the backup, or the place of backups for the newest one.
 *
 * Rejects with a FileStoreError if there is none, or if the place has backups of several databases.
 */
export async function fetchBackup(
  from: S3Location,
  database: string,
  options: S3StoreOptions = {},
): Promise<FetchedBackup> {
  const { createS3Store, openBucket } = await import('../../files/s3.ts');
  const [, folder = '', named] = /^(.*\/)?([^/]+\.(?:bak|dump))\/$/.exec(from.prefix) ?? [];
  const place = named === undefined ? from : { ...from, prefix: folder };
  const bucket = openBucket(place, options);
  const name = named ?? newestOf(await bucket.names(), from);
  if (name.endsWith('.dump'))
    throw new FileStoreError(`"${name}" is a backup of PostgreSQL: restore it with pg_restore`);
  const work = await mkdtemp(join(dirname(database), '.restore-'));
  const discard = (): Promise<void> => rm(work, { recursive: true, force: true });
  const file = join(work, name);
  try {
    if (!(await bucket.getFile(name, file)))
      throw new FileStoreError(`There is no backup ${addressOf(place, name)}`);
  } catch (error) {
    await discard();
    throw error;
  }
  const files = createS3Store({ ...place, prefix: `${place.prefix}files/` }, options);
  return { file, address: addressOf(place, name), files, discard };
}

function addressOf({ origin, bucket, prefix }: S3Location, name: string): string {
  return `"${origin}/${bucket}/${prefix}${name}"`;
}

function newestOf(names: readonly string[], place: S3Location): string {
  const found = names.flatMap((name) => {
    const [, stem = '', time = ''] = madeName.exec(name) ?? [];
    return time === '' || name.includes('/') ? [] : [{ name, stem, time }];
  });
  const stems = [...new Set(found.map(({ stem }) => stem))];
  if (stems.length > 1)
    throw new FileStoreError(
      `${addressOf(place, '')} has backups of several databases (${stems.join(', ')}): name one backup`,
    );
  const newest = found.toSorted((a, b) => (a.time < b.time ? 1 : -1))[0];
  if (newest === undefined)
    throw new FileStoreError(`There is no backup in ${addressOf(place, '')}`);
  return newest.name;
}
