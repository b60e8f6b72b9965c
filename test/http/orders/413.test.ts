import { describeBodyTooLarge } from '../suites/body-too-large';

describeBodyTooLarge('orders');
