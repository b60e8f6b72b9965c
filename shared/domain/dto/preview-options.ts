import { MAX_SAMPLE_ROWS } from '../limits';
import type { Dto } from './schema';
import { transferOptionsSchema } from './transfer-options';

/** The options of a preview: those of a historical transfer, and how many rows it reads of each file. */
export const previewOptionsSchema = {
  ...transferOptionsSchema,
  $id: 'PreviewOptions',
  properties: {
    ...transferOptionsSchema.properties,
    SampleRowsPerFile: { type: ['integer', 'null'], minimum: 1, maximum: MAX_SAMPLE_ROWS },
  },
} as const;

export type PreviewOptionsDto = Dto<typeof previewOptionsSchema>;
