import { describeForbidden } from '../suites/forbidden';

describeForbidden('usage');
