/** The German texts: whoever imports them has them in the place of the English ones. */
import './accounts.ts';
import './budget.ts';
import './categories.ts';
import './settings.ts';
import './shell.ts';
import './transactions.ts';
