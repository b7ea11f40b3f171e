import { tags } from '../db/tables/tables.ts';
import { noContent, refusedWith } from '../operations/responses.ts';
import { DeleteQuery } from '../operations/schema.ts';
import { write } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import * as records from '../operations/records.ts';
import { countDependents, removeTag } from './remove-tag.ts';
import * as schema from './tags/schema.ts';

const one = { path: '/v2/tags/{id}', tag: 'tags', params: schema.TagPath } as const;

/** The operation that deletes a tag. */
export const tagRemovalRoutes: readonly Operation[] = [
  write(
    'DELETE',
    {
      ...one,
      id: 'deleteTag',
      summary: 'Delete a tag',
      description:
        'If transactions or rules have it, the response is 422. With `force=true` they lose it.',
      query: DeleteQuery,
      response: noContent('The tag is deleted.'),
      refusals: {
        422: refusedWith(422, schema.TagDependents, 'Records depend on it.'),
      },
    },
    function* ({ bookId, params, query, refuse }, change) {
      const tag = yield* records.recordOf(tags, 'tag', bookId, params.id);
      const dependents = yield* countDependents(tag);
      if (!query.force && Object.values(dependents).some((count) => count > 0))
        refuse(422, { tag_name: tag.name, dependents });
      yield* removeTag(change, tag);
    },
  ),
];
