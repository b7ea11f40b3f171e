import { shortForm } from './testing/short-form.ts';
import { check } from './f09-redis-faults.ts';

shortForm(check);
