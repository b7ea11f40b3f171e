import { quote } from '@coffer/core/text';
import { positionAfter } from './changes.ts';
import type { FeedPosition, LogBounds } from './changes.ts';
import type { Identity } from '../../operations/caller.ts';
import { Problem } from '../../operations/problem.ts';

/** What a position is valid for: another database or book has other changes. */
type Place = Pick<Identity, 'databaseId'> & { readonly book: Pick<Identity['book'], 'id'> };

/** A position as a client sent it. `of` is what it is valid for; null for a version. */
export interface SentPosition {
  readonly position: FeedPosition;
  readonly of: string | null;
}

const versionPattern = /^(?:0|[1-9]\d{0,15})$/;
const positionPattern = /^([0-9a-f]{32}\.\d{1,16})\.(\d{1,16})\.(\d{1,16})\.(\d{1,16})$/;
const advice = 'Copy the records again, and continue from after=latest';

/** Returns a position as text, with the ids of the database and the book. */
export function positionText(place: Place, { version, place: at, id }: FeedPosition): string {
  return [placeText(place), version, at, id].join('.');
}

/** Reads a position or a version; null for `latest`. `name` is for the message of a Problem that refuses other text. */
export function readPosition(text: string, name: string): SentPosition | null {
  if (text === 'latest') return null;
  const [, of = null, ...numbers] = positionPattern.exec(text) ?? [];
  const [version = NaN, place = NaN, id = NaN] = numbers.map(Number);
  const position = versionPattern.test(text) ? positionAfter(Number(text)) : { version, place, id };
  if (Object.values(position).every(Number.isSafeInteger)) return { position, of };
  const errMsg = `${name} must be a position, a version or "latest", not ${quote(text)}`;
  throw new Problem('validation', { details: [{ errMsg, instancePath: '/query/after' }] });
}

/**
 * Refuses a position with 410 if it belongs to another book, if changes after it were pruned, or if the book has not
 * reached it. `oldest_version` of the error is the oldest version after which all changes exist.
 */
export function refuseGone(sent: SentPosition, place: Place, bounds: LogBounds): void {
  const { version, prunedVersion } = bounds;
  const last = sent.position.version - 1;
  if (sent.of !== null && sent.of !== placeText(place))
    throw gone('The position belongs to another book or to another copy of the database', bounds);
  if (last < prunedVersion)
    throw gone(`The changes after version ${last} were pruned, up to ${prunedVersion}`, bounds);
  if (last > version) throw gone(`The book has only ${version} versions, not ${last}`, bounds);
}

function gone(reason: string, { prunedVersion }: LogBounds): Problem {
  const details = [{ errMsg: `${reason}. ${advice}`, oldest_version: prunedVersion }];
  return new Problem('pruned', { details });
}

function placeText({ databaseId, book }: Place): string {
  return `${databaseId}.${book.id}`;
}
