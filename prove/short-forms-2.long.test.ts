import { testShortForms } from './testing/short-forms.ts';

testShortForms(2, 3);
