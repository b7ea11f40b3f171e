import { shortForm } from './testing/short-form.ts';
import { check } from './f05-concurrent.ts';

shortForm(check);
