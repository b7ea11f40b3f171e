/** The texts of changes and of taking them back. */
export const ownChangesTexts = {
  undo: 'Undo',
  undone: 'The last change is taken back',
  nothing: 'There is nothing left to undo',
  loading: 'Loading',
  failed: 'This could not be loaded',
  retry: 'Try again',
  notDone: 'It was not saved',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  copy: 'Copy',
  copied: 'Copied',
  selected: 'Selected: copy it with the keys of your system',
} as const;
