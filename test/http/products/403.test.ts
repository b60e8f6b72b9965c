import { describeForbidden } from '../suites/forbidden';

describeForbidden('products');
