import { testShortForms } from '../testing/short-form.ts';
import { check as f18 } from './f18-restore-drills.ts';
import { check as f19 } from './f19-migrations.ts';

testShortForms(f18, f19);
