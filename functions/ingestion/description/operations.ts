/** What `openapi.json` says of the routes of transfers and runs. */
import type { FunctionDescription } from '../../../shared/endpoint/description/operation';
import type { IngestionOperation } from '../../../shared/endpoint/operation-id';
import { registrationDescriptions } from './registration-operations';
import { runDescriptions } from './run-operations';
import { previewOptions, transferOptions } from './transfers';

export const ingestionDescription: FunctionDescription<IngestionOperation> = {
  tag: {
    name: 'Transfers',
    description:
      "Files in a tenant's own Cloud Storage bucket, read once, daily, hourly or when they are uploaded, and what became of them.",
  },
  bodies: [transferOptions, previewOptions],
  operations: { ...registrationDescriptions, ...runDescriptions },
};
