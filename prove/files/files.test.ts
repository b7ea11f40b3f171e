import { testShortForms } from '../testing/short-form.ts';
import { check as f22 } from './f22-hostile-files.ts';
import { check as f25 } from './f25-formulas.ts';
import { check as f26 } from './f26-regular-expressions.ts';

testShortForms(f22, f25, f26);
