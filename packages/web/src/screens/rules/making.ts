import type { RuleDraft } from '../../books/rules/draft.ts';
import { opener } from '../../parts/overlays/opener.ts';

/** Opens the dialog of a new rule from every screen, with what is filled in. */
export const making = opener<RuleDraft>();
