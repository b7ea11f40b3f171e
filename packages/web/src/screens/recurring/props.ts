import type { ItemDraft } from '../../books/recurring/recurring-draft.ts';
import type { RecurringItem } from '../../books/recurring/recurring.ts';
import type { ItemActions, Names } from './data.ts';

/** What is edited: an item, a new one, or a new one from a transaction. */
export type Edited = RecurringItem | 'new' | null;

/** Items, and what is done with them. */
export interface ItemsProps {
  readonly items: readonly RecurringItem[];
  readonly names: Names;
  readonly actions: ItemActions;
  readonly today: string;
  readonly onEdit: (edited: Edited) => void;
}

/** A part of the form. */
export interface DraftProps {
  readonly draft: ItemDraft;
  readonly names: Names;
  readonly change: (part: Partial<ItemDraft>) => void;
}
