import { checks } from './checks.ts';
import { testShortForms } from './testing/short-forms.ts';

testShortForms(checks.filter((_, at) => at % 3 === 1));
