import type { TSchema } from 'typebox';
import { ErrorBody, ErrorDetail } from './error-body.ts';
import { Currency } from './schema.ts';
import { errorComponentsV1, True } from '../v1/refusals.ts';

/** Components that belong to no resource: the last ones of the document's `components.schemas`. */
export const sharedComponents = {
  Currency,
  ErrorBody,
  ErrorDetail,
  ...errorComponentsV1,
  TrueV1: True,
} as const satisfies Record<string, TSchema>;
