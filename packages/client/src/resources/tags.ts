import type { components } from '../sending/openapi-types.ts';
import type { CallOptions } from '../sending/options.ts';
import { listShape, recordMethods, recordShape } from './resource.ts';
import type { Call, QueryOf, RecordMethods } from './resource.ts';

/** A label that any number of transactions can have. */
export type Tag = components['schemas']['Tag'];
/** A new tag. */
export type TagInsert = components['schemas']['TagInsert'];
/** New values for properties of a tag; a complete record is accepted too. */
export type TagUpdate = components['schemas']['TagUpdate'];
/** Query parameters of a deletion. */
export type TagDeletion = QueryOf<'deleteTag'>;

/** Methods of tags. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Tags extends RecordMethods<Tag, TagInsert, TagUpdate, TagDeletion> {
  /** All tags, in one request. */
  list(options?: CallOptions): Promise<readonly Tag[]>;
}

const tag = recordShape<Tag>('a tag');
const tags = listShape<Tag>('tags');

/** The tags of a client. */
export function makeTags(call: Call): Tags {
  return {
    ...recordMethods(call, ['tags'], tag),
    list: (options) => call(tags, ['tags'], options),
  };
}
