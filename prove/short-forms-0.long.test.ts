import { testShortForms } from './testing/short-forms.ts';

testShortForms(0, 3);
