import { late } from '../../parts/states.tsx';

// A list does not wait for what is opened above it. Put them into <Suspense>.
/** The dialog that makes a group of rows. */
export const GroupDialog = late(() => import('./dialogs.tsx'), 'GroupDialog');
/** The dialog that splits a row. */
export const SplitDialog = late(() => import('./dialogs.tsx'), 'SplitDialog');
/** The dialog that changes all that match a filter. */
export const BulkDialog = late(() => import('./bulk-dialog.tsx'), 'BulkDialog');
/** The menu of a row. */
export const RowMenu = late(() => import('./row-menu.tsx'), 'RowMenu');
