import { optional } from '../../../operations/schema.ts';
import { Type } from 'typebox';

/** The query parameter that names an earlier state of the book: see `versionAsOf`. */
export const asOf = optional(
  Type.Union(
    [
      Type.String({ pattern: '^(0|[1-9]\\d{0,15})$' }),
      Type.String({ format: 'date' }),
      Type.String({ format: 'date-time' }),
    ],
    {
      description:
        'A version of the book, or a time; default: the present.\n\n' +
        'A date means the end of that day in UTC. Before its first change, the book is empty; a time in the future ' +
        'means the present.',
    },
  ),
);
