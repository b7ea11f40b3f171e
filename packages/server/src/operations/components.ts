import type { TSchema } from 'typebox';
import { ErrorBody, ErrorDetail } from './error-body.ts';
import { Currency } from './schema.ts';

/** Components that belong to no resource: the last ones of the document's `components.schemas`. */
export const sharedComponents = {
  Currency,
  ErrorBody,
  ErrorDetail,
} as const satisfies Record<string, TSchema>;
