import { shortForm } from './testing/short-form.ts';
import { check } from './f25-formulas.ts';

shortForm(check);
