import { testShortForms } from './testing/short-forms.ts';

testShortForms(1, 3);
