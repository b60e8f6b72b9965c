import { describeMethodNotAllowed } from '../suites/method-not-allowed';

describeMethodNotAllowed('ingestion', [
  ['/google-cloud-storage/register/historical-transfer', 'POST'],
  ['/google-cloud-storage/register/daily-transfer', 'POST'],
  ['/google-cloud-storage/register/hourly-transfer', 'POST'],
  ['/google-cloud-storage/register/live-transfer', 'POST'],
  ['/google-cloud-storage/unregister', 'DELETE'],
  ['/google-cloud-storage/runs', 'GET'],
  ['/google-cloud-storage/runs/R-1', 'GET'],
  ['/google-cloud-storage/runs/R-1/files', 'GET'],
  ['/google-cloud-storage/runs/R-1/errors', 'GET'],
  ['/google-cloud-storage/runs/R-1/replay', 'POST'],
  ['/google-cloud-storage/runs/R-1/cancel', 'POST'],
  ['/google-cloud-storage/preview', 'POST'],
  ['/google-cloud-storage/transfers', 'GET'],
  ['/google-cloud-storage/transfers/run', 'POST'],
]);
