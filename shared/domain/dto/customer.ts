import type { Dto } from './schema';
import { optional } from './schema';

/** `UpsertCustomerDto` (Spec §2.2). A separate check requires one identifier, at the path `""`. */
export const customerSchema = {
  $id: 'UpsertCustomerDto',
  type: 'object',
  properties: {
    CustomerId: optional.text(100),
    Email: optional.email,
    Name: optional.text(100),
    Surname: optional.text(300), // D-10
    Phone: optional.text(20),
    Language: optional.language,
    Username: optional.text(500),
    EmailOptin: optional.boolean,
    SmsOptin: optional.boolean,
    WhatsappOptin: optional.boolean,
    AppPushOptin: optional.boolean,
    GdprOptin: optional.boolean,
    IsExcluded: optional.boolean,
  },
} as const;

export type UpsertCustomerDto = Dto<typeof customerSchema>;
