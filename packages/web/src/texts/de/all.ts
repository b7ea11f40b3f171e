/** The German texts. Once this module is imported, they replace the English ones. */
import './accounts.ts';
import './budget.ts';
import './categories.ts';
import './settings.ts';
import './shell.ts';
import './transactions.ts';
