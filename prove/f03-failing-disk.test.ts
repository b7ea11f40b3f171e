import { shortForm } from './testing/short-form.ts';
import { check } from './f03-failing-disk.ts';

shortForm(check);
