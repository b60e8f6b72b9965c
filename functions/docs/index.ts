import { http } from '@google-cloud/functions-framework';
import { isRunByFramework } from '../../shared/config';
import { drainOnSigterm } from '../../shared/http/drain';
import { assets } from './assets';
import { createDocs } from './handler';

if (isRunByFramework()) drainOnSigterm();
http('docs', createDocs(assets));
