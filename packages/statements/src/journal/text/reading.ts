import type { DateOrder } from '../../statement/dates.ts';
import type { Marks } from './marks.ts';
import type { Notices } from './notices.ts';
import type { Survey } from './survey.ts';

/** What a reader of lines uses and adds to. */
export interface Reading {
  readonly survey: Survey;
  readonly notices: Notices;
  readonly marks: Marks;
  /** Given by the user. */
  readonly dateOrder: DateOrder | undefined;
}
