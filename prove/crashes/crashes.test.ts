import { testShortForms } from '../testing/short-form.ts';
import { check as f01 } from './f01-kills.ts';
import { check as f16 } from './f16-sigterm.ts';
import { check as f32 } from './f32-killed-imports.ts';
import { check as f33 } from './f33-served-imports.ts';

testShortForms(f01, f16, f32, f33);
