import { lazy } from 'react';

// A list does not wait for what is opened above it. Put them into <Suspense>.
/** The dialog that makes a group of rows. */
export const GroupDialog = lazy(async () => ({
  default: (await import('./dialogs.tsx')).GroupDialog,
}));
/** The dialog that splits a row. */
export const SplitDialog = lazy(async () => ({
  default: (await import('./dialogs.tsx')).SplitDialog,
}));
/** The dialog that changes all that match a filter. */
export const BulkDialog = lazy(async () => ({
  default: (await import('./bulk-dialog.tsx')).BulkDialog,
}));
/** The menu of a row. */
export const RowMenu = lazy(async () => ({ default: (await import('./row-menu.tsx')).RowMenu }));
