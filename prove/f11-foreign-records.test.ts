import { shortForm } from './testing/short-form.ts';
import { check } from './f11-foreign-records.ts';

shortForm(check);
