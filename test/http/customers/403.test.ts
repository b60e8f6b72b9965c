import { describeForbidden } from '../suites/forbidden';

describeForbidden('customers');
