import { useState } from 'react';
import { dateAt } from '../books/formats/dates.ts';

/** Today's date when the part was first shown. */
export function useToday(): string {
  const [today] = useState(() => dateAt(Date.now()));
  return today;
}
