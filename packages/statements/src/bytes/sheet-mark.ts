/** The first characters of a sheet that was written as HTML. */
export const SHEET_MARK = '<table class="xlsx"';
