import { testShortForms } from '../testing/short-form.ts';
import { check as f29 } from './f29-client.ts';

testShortForms(f29);
