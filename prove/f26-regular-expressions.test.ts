import { shortForm } from './testing/short-form.ts';
import { check } from './f26-regular-expressions.ts';

shortForm(check);
