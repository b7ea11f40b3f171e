import { shortForm } from './testing/short-form.ts';
import { check } from './f20-postgres-faults.ts';

shortForm(check);
