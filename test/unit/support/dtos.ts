/** Arbitrary valid DTOs; identifiers come from small pools, so that elements of a batch meet. */
import * as fc from 'fast-check';
import type { UpsertCustomerDto } from '../../../shared/domain/dto/customer';
import type { CreateOrderItemDto, UpsertOrderDto } from '../../../shared/domain/dto/order';
import type { UpsertProductDto, UpsertProductVariantDto } from '../../../shared/domain/dto/product';

const text = fc.constantFrom('', ' ', 'plain', 'İstanbul', '👩‍👩‍👧', 'line\r\nbreak', '__proto__', '<b>', '=1+1');
const int32 = fc.oneof(fc.constantFrom(0, 1, -1, 2 ** 31 - 1, -(2 ** 31)), fc.integer());
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const size = fc.constantFrom('', '500ml', '4x500ml', '1,5 kg', 'XL', '?', '42');
const id = fc.constantFrom('1', ' 1', '2', '3', 'a', 'A', 'a/b', '😀');
const sku = fc.constantFrom('s1', 's2 ', 's2', 'S1', '😀');
const language = fc.constantFrom('en', 'PT-br', 'zh-hant-tw');
const currency = fc.constantFrom('USD', 'eur', 'TRY');
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });

const email = fc.constantFrom('a@x.io', ' A@x.io ', 'b@x.io', 'İ@x.io');

const customerFields = {
  Name: orNull(text),
  Surname: orNull(text),
  Phone: orNull(fc.constantFrom('', '+90 555')),
  Language: orNull(language),
  Username: orNull(text),
  EmailOptin: orNull(fc.boolean()),
  SmsOptin: orNull(fc.boolean()),
  WhatsappOptin: orNull(fc.boolean()),
  AppPushOptin: orNull(fc.boolean()),
  GdprOptin: orNull(fc.boolean()),
  IsExcluded: orNull(fc.boolean()),
};

export const customers: fc.Arbitrary<UpsertCustomerDto> = fc.oneof(
  fc.record({ Email: email, CustomerId: orNull(fc.oneof(id, fc.constant(' '))), ...customerFields }, { requiredKeys: ['Email'] }),
  fc.record({ CustomerId: id, Email: orNull(fc.oneof(email, fc.constant(''))), ...customerFields }, { requiredKeys: ['CustomerId'] }),
); // prettier-ignore

export const variants: fc.Arbitrary<UpsertProductVariantDto> = fc.record(
  {
    VariantId: id,
    Sku: sku,
    Name: orNull(text),
    Image: orNull(text),
    Size: orNull(size),
    Color: orNull(text),
    Stock: orNull(int32),
    OriginalPrice: orNull(double),
    SalePrice: orNull(double),
    Currency: orNull(fc.oneof(currency, fc.constant(' '))),
    IsAvailable: orNull(fc.boolean()),
    Language: orNull(language),
    BrandName: orNull(text),
    Url: orNull(text),
  },
  { requiredKeys: ['VariantId', 'Sku'] },
);

export const products: fc.Arbitrary<UpsertProductDto> = fc.record(
  {
    ProductId: id,
    ProductName: orNull(text),
    Taxonomy: orNull(fc.array(text, { maxLength: 3 })),
    IsOfflineExclusive: orNull(fc.boolean()),
    ProductVariants: fc.array(variants, { maxLength: 4 }),
  },
  { requiredKeys: ['ProductId', 'ProductVariants'] },
);

export const items: fc.Arbitrary<CreateOrderItemDto> = fc.record(
  {
    ProductId: id,
    Sku: sku,
    Quantity: int32,
    Price: double,
    Size: orNull(size),
    Color: orNull(text),
    Brand: orNull(text),
    IsGift: orNull(fc.boolean()),
    OriginalPrice: orNull(double),
  },
  { requiredKeys: ['ProductId', 'Sku', 'Quantity', 'Price'] },
);

export const orders: fc.Arbitrary<UpsertOrderDto> = fc.record(
  {
    OrderId: id,
    Email: orNull(fc.oneof(email, fc.constant(''))),
    CustomerId: orNull(fc.oneof(id, fc.constant('  '))),
    TotalQuantity: orNull(int32),
    TotalRevenue: orNull(double),
    OrderDate: orNull(fc.constantFrom('2026-03-01', '2026-03-01T10:00:00+02:00', '2024-02-29T23:59:59.999Z')),
    Currency: currency,
    UniqueQuantity: orNull(int32),
    IsOrderCancelled: orNull(fc.boolean()),
    OrderItems: orNull(fc.array(items, { maxLength: 4 })),
  },
  { requiredKeys: ['OrderId', 'Currency'] },
);
