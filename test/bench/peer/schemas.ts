/** The rules of the three bodies, written with zod as one would by hand. */
import { z } from 'zod';

const required = (maxLength: number) => z.string().trim().min(1).max(maxLength);
const optional = (maxLength: number) => z.string().max(maxLength).nullish();
const integer = z.int32().nullish();
const number = z.number().nullish();
const flag = z.boolean().nullish();
const email = z.email().max(255).nullish();
const currency = z.string().regex(/^[A-Za-z]{3}$/);
const language = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|\d{3}))?$/)
  .max(10)
  .nullish();

export const customers = z
  .array(
    z
      .object({
        CustomerId: optional(100),
        Email: email,
        Name: optional(100),
        Surname: optional(300),
        Phone: optional(20),
        Language: language,
        Username: optional(500),
        EmailOptin: flag,
        SmsOptin: flag,
        WhatsappOptin: flag,
        AppPushOptin: flag,
        GdprOptin: flag,
        IsExcluded: flag,
      })
      .refine(({ CustomerId, Email }) => Boolean(CustomerId?.trim()) || Boolean(Email), {
        error: 'at least one of CustomerId, Email must have a value.',
      }),
  )
  .max(1000);

const variant = z.object({
  VariantId: required(100),
  Sku: required(200),
  Name: optional(600),
  Image: optional(2000),
  Size: optional(50),
  Color: optional(50),
  Stock: integer,
  OriginalPrice: number,
  SalePrice: number,
  Currency: currency.nullish(),
  IsAvailable: flag,
  Language: language,
  BrandName: optional(200),
  Url: optional(2000),
});

export const products = z
  .array(
    z.object({
      ProductId: required(100),
      ProductName: optional(200),
      Taxonomy: z.array(z.string()).nullish(),
      IsOfflineExclusive: flag,
      ProductVariants: z.array(variant),
    }),
  )
  .max(200);

const item = z.object({
  ProductId: required(100),
  Sku: required(50),
  Quantity: z.int32(),
  Price: z.number(),
  Size: optional(50),
  Color: optional(50),
  Brand: z.string().nullish(),
  IsGift: flag,
  OriginalPrice: number,
});

export const orders = z
  .array(
    z.object({
      OrderId: required(100),
      Email: email,
      CustomerId: optional(100),
      TotalQuantity: integer,
      TotalRevenue: number,
      OrderDate: z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]).nullish(),
      Currency: currency,
      UniqueQuantity: integer,
      IsOrderCancelled: flag,
      OrderItems: z.array(item).nullish(),
    }),
  )
  .max(500);

export type Customer = z.infer<typeof customers>[number];
export type Product = z.infer<typeof products>[number];
export type Order = z.infer<typeof orders>[number];
