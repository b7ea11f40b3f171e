import { shortForm } from './testing/short-form.ts';
import { check } from './f29-client.ts';
shortForm(check);
