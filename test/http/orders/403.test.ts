import { describeForbidden } from '../suites/forbidden';

describeForbidden('orders');
