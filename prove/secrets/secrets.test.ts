import { testShortForms } from '../testing/short-form.ts';
import { check as f23 } from './f23-secrets.ts';

testShortForms(f23);
