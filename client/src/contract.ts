// Made from openapi.json by `npm run client:types`.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description What the owner of the bucket has to do. */
    BucketSetup: {
      /** @description The role, to grant on the bucket. */
      Role: string;
      /** @description Whom to grant it to. */
      ServiceAccount: string;
      /** @description Of a live transfer, for a shell: the grant, and the notification of uploads, which is added once; absent: the transfer is of another kind. */
      Commands?: string[];
    };
    /** @description Rows by what they did to one consent. */
    ConsentChanges: {
      /** @description From false or absent to true. */
      Granted: number;
      /** @description From true to false. */
      Withdrawn: number;
      /** @description Rows that said true and were older than the stored false, which stays. */
      KeptWithdrawn: number;
      /** @description Rows that said true and were older than the deletion of the customer. */
      Erased: number;
    };
    /** @description What became of each consent. */
    ConsentsChanges: {
      /** @description What became of `EmailOptin`. */
      EmailOptin: components['schemas']['ConsentChanges'];
      /** @description What became of `SmsOptin`. */
      SmsOptin: components['schemas']['ConsentChanges'];
      /** @description What became of `WhatsappOptin`. */
      WhatsappOptin: components['schemas']['ConsentChanges'];
      /** @description What became of `AppPushOptin`. */
      AppPushOptin: components['schemas']['ConsentChanges'];
      /** @description What became of `GdprOptin`. */
      GdprOptin: components['schemas']['ConsentChanges'];
    };
    /** @description A customer as it is sent. It is found by the identifier that the tenant has chosen, `Email` or `CustomerId`; the other one does not find it. Further fields are ignored. */
    Customer: {
      /**
       * Format: text
       * @description The caller's own id of the customer. This or `Email` must have a value. Null clears it.
       */
      CustomerId?: string | null;
      /**
       * Format: email-address
       * @description The e-mail address. This or `CustomerId` must have a value. An e-mail address: text on both sides of one `@`, and no white space. Null clears it.
       */
      Email?: string | null;
      /**
       * Format: text
       * @description The first name. Null clears it.
       */
      Name?: string | null;
      /**
       * Format: text
       * @description The last name. Null clears it.
       */
      Surname?: string | null;
      /**
       * Format: text
       * @description The telephone number. SMS campaigns need it. Null clears it.
       */
      Phone?: string | null;
      /**
       * Format: language-tag
       * @description The language of the customer. A tenant may make it mandatory. An IETF BCP 47 tag of the form language[-script][-region], such as `pt-BR`, in any case. Null clears it. By default that of the tenant's settings.
       */
      Language?: string | null;
      /**
       * Format: text
       * @description The user name in the caller's system. Null clears it.
       */
      Username?: string | null;
      /** @description Consent to marketing by e-mail. Null clears it. By default `false`. */
      EmailOptin?: boolean | null;
      /** @description Consent to marketing by SMS. Null clears it. By default `false`. */
      SmsOptin?: boolean | null;
      /** @description Consent to messages by WhatsApp. Null clears it. By default `false`. */
      WhatsappOptin?: boolean | null;
      /** @description Consent to app push messages. Null clears it. By default `false`. */
      AppPushOptin?: boolean | null;
      /** @description Consent under the GDPR. Without it data is stored, and marketing is restricted. A tenant may make it mandatory. Null clears it. By default `false`. */
      GdprOptin?: boolean | null;
      /** @description Excludes the customer from all campaigns. Null clears it. By default `false`. */
      IsExcluded?: boolean | null;
    };
    /** @description Rows by what they did to customers and their consents. */
    CustomerChanges: {
      /** @description Rows that created a record. */
      Created: number;
      /** @description Rows that changed a record. */
      Updated: number;
      /** @description Rows that were stored and changed nothing. */
      Unchanged: number;
      /** @description Rows that deleted something. */
      Deleted: number;
      /** @description What became of each consent. */
      Consents: components['schemas']['ConsentsChanges'];
    };
    /** @description The identifiers as they were accepted, and when. */
    CustomerDeleted: {
      /** @description Null: it was not sent. */
      customerId: string | null;
      /** @description Null: it was not sent. */
      email: string | null;
      /**
       * Format: date-time
       * @description When the deletion was accepted, in UTC.
       */
      deletedAt: string;
    };
    /** @description The identifiers of customers to delete. Of two, the one that the tenant has chosen is tried first, and the other one only if that finds nothing. */
    CustomerDeletion: {
      /**
       * Format: text
       * @description The caller's own id of the customer. This or `Email` must have a value. Null counts as absent.
       */
      CustomerId?: string | null;
      /**
       * Format: email-address
       * @description The e-mail address. This or `CustomerId` must have a value. An e-mail address: text on both sides of one `@`, and no white space. Null counts as absent.
       */
      Email?: string | null;
    };
    /** @description That a batch of deletions is valid. Nothing was deleted. */
    DeletionCheck: {
      /** @description Deletions that are valid. */
      count: number;
      /** @description Paths of fields that are not known and so were not stored, such as a misspelt `EmailOptIn`: at most 20; absent: none. */
      ignoredFields?: string[];
      /** @description How many elements were left out because they are invalid; absent without `onInvalid=skip`. */
      rejectedCount?: number;
      /** @description The first 100 of them; absent without `onInvalid=skip`. */
      rejected?: components['schemas']['RejectedElement'][];
      /** @description What was accepted and probably not meant; absent: nothing. */
      warnings?: components['schemas']['Warning'][];
    };
    /** @description What a batch of deletions has done. */
    DeletionResult: {
      /** @description Deletions that were accepted, whether or not they match anything. */
      count: number;
      /**
       * Format: date-time
       * @description When they were accepted, in UTC.
       */
      deletedAt: string;
      /** @description Paths of fields that are not known and so were not stored, such as a misspelt `EmailOptIn`: at most 20; absent: none. */
      ignoredFields?: string[];
      /** @description How many elements were left out because they are invalid; absent without `onInvalid=skip`. */
      rejectedCount?: number;
      /** @description The first 100 of them; absent without `onInvalid=skip`. */
      rejected?: components['schemas']['RejectedElement'][];
      /** @description What was accepted and probably not meant; absent: nothing. */
      warnings?: components['schemas']['Warning'][];
    };
    /** @description A refusal. */
    Error: {
      /** @constant */
      success: false;
      /** @description What is wrong, for a person. */
      message: string;
      /** @description Empty. */
      data: Record<string, never>;
    };
    /** @description A field before and after. Of arrays only the elements that would go and come are shown. */
    FieldChange: {
      /** @description Null: it has no value. */
      from: unknown;
      /** @description Null: it has no value. */
      to: unknown;
    };
    /** @description The files of a run. */
    FileCounts: {
      /** @description Objects in its folders. */
      Found: number;
      /** @description Files that were read to their end. */
      Finished: number;
      /** @description Files that were not read: of no known kind or format, read before, or read by another run. */
      Skipped: number;
      /** @description Files that could not be read to their end. */
      Failed: number;
    };
    /** @description The customers that match all identifiers given. */
    FoundCustomers: {
      /** @description Empty: nobody matches. */
      records: components['schemas']['StoredCustomer'][];
      /**
       * @description More customers match, which are not shown; absent: none.
       * @constant
       */
      hasMore?: true;
      /**
       * Format: date-time
       * @description When a deletion was accepted, in UTC, that is left out here and not applied yet: of the record or of parts of it, of several the first one. Absent: there is none.
       */
      deletionAcceptedAt?: string;
    };
    /** @description An order. */
    FoundOrder: {
      /** @description The order. */
      record: components['schemas']['StoredOrder'];
      /**
       * Format: date-time
       * @description When a deletion was accepted, in UTC, that is left out here and not applied yet: of the record or of parts of it, of several the first one. Absent: there is none.
       */
      deletionAcceptedAt?: string;
    };
    /** @description A product. */
    FoundProduct: {
      /** @description The product. */
      record: components['schemas']['StoredProduct'];
      /**
       * Format: date-time
       * @description When a deletion was accepted, in UTC, that is left out here and not applied yet: of the record or of parts of it, of several the first one. Absent: there is none.
       */
      deletionAcceptedAt?: string;
    };
    /** @description The job of a historical transfer. */
    HistoricalRegistration: {
      /** @description The id of the job, which has one run. */
      JobId: string;
      /**
       * @description Whether the service can read the bucket now. The transfer is registered in any case. `unknown`: Cloud Storage did not say in time.
       * @enum {string}
       */
      BucketAccess: 'ok' | 'denied' | 'notFound' | 'unknown';
      /** @description What the owner of the bucket has to do; absent unless access is denied, or the transfer is live. */
      Setup?: components['schemas']['BucketSetup'];
      /** @description Fields that are not known, or that this kind of transfer does not use: at most 20; absent: none. Without its own folder paths the whole bucket is read. */
      ignoredFields?: string[];
    };
    /** @description What was counted of one key. */
    KeyUsage: {
      /** @description The name of the key, which is not the key itself. */
      keyId: string;
      /** @description Requests with a valid key, refused ones too. */
      requests: number;
      /** @description Records that were stored. */
      records: number;
      /** @description Records that were refused as invalid, those of a batch that was refused as a whole too. */
      rejected: number;
      /** @description Deletions that were accepted. */
      deletions: number;
      /** @description Requests that were answered with a status of 400 or more. */
      errors: number;
      /** @description Those of them that were answered with 429: over the limit of their key. */
      limited: number;
    };
    /** @description Nothing more to say. */
    Nothing: Record<string, never>;
    /** @description An order as it is sent. It is found by its `OrderId`. Further fields are ignored. */
    Order: {
      /**
       * Format: text
       * @description The id of the order. Required: null, empty and blank count as missing.
       */
      OrderId: string;
      /**
       * Format: email-address
       * @description The e-mail address of the customer. An e-mail address: text on both sides of one `@`, and no white space. Null clears it.
       */
      Email?: string | null;
      /**
       * Format: text
       * @description The caller's own id of the customer. Null clears it.
       */
      CustomerId?: string | null;
      /**
       * Format: int32
       * @description How many pieces it has in all. A whole number of 32 bits. Null clears it. By default `1`.
       */
      TotalQuantity?: number | null;
      /** @description The value of the order, in `Currency`; a refund is negative. Null clears it. By default `1`. */
      TotalRevenue?: number | null;
      /**
       * Format: date-time-text
       * @description When it was placed. An ISO 8601 date or date-time, `YYYY-MM-DD[Thh:mm[:ss[.fff]][Z|±hh:mm]]`, in UTC unless it has an offset. Null clears it. By default the time of the request.
       */
      OrderDate?: string | null;
      /**
       * Format: currency-code
       * @description The currency of all amounts. An ISO 4217 code of money in use, in any case. Required: null, empty and blank count as missing.
       */
      Currency: string;
      /**
       * Format: int32
       * @description How many different items it has. A whole number of 32 bits. Null clears it. By default `1`.
       */
      UniqueQuantity?: number | null;
      /** @description Whether it was cancelled. Null clears it. By default `false`. */
      IsOrderCancelled?: boolean | null;
      /** @description What was bought. Items that are stored and not sent stay. Null clears it. By default `[]`. */
      OrderItems?: components['schemas']['OrderItem'][] | null;
    };
    /** @description Whose order it is: one of the two, in the form in which identifiers are compared. */
    OrderCustomer:
      | {
          Email: string;
        }
      | {
          CustomerId: string;
        };
    /** @description The id as it was accepted, and when. */
    OrderDeleted: {
      /** @description The id of the order. */
      orderId: string;
      /**
       * Format: date-time
       * @description When the deletion was accepted, in UTC.
       */
      deletedAt: string;
    };
    /** @description The id of an order to delete with all its items. With a `ProductId` or a `Sku` only the items that it names are deleted. */
    OrderDeletion: {
      /**
       * Format: text
       * @description The id of the order. Required: null, empty and blank count as missing.
       */
      OrderId: string;
      /**
       * Format: text
       * @description The id of the product of items. Null counts as absent.
       */
      ProductId?: string | null;
      /**
       * Format: text
       * @description The stock keeping unit of items. Null counts as absent.
       */
      Sku?: string | null;
    };
    /** @description An item of an order as it is sent. */
    OrderItem: {
      /**
       * Format: text
       * @description The id of the product that was bought. Required: null, empty and blank count as missing.
       */
      ProductId: string;
      /**
       * Format: text
       * @description The stock keeping unit that was bought. Required: null, empty and blank count as missing.
       */
      Sku: string;
      /**
       * Format: int32
       * @description How many were bought. A whole number of 32 bits. Required.
       */
      Quantity: number;
      /** @description The price of one, in the currency of the order. Required. */
      Price: number;
      /**
       * Format: text
       * @description The size, such as `500 ml`, `2x250g` or `XL`. Its number and unit are parsed and stored beside it. Null clears it.
       */
      Size?: string | null;
      /**
       * Format: text
       * @description The colour. Null clears it.
       */
      Color?: string | null;
      /**
       * Format: text
       * @description The brand. Null clears it.
       */
      Brand?: string | null;
      /** @description Whether it is a gift. Null clears it. */
      IsGift?: boolean | null;
      /** @description The price of one before discounts, in the currency of the order. Null clears it. */
      OriginalPrice?: number | null;
    };
    /** @description The ids as they were accepted, and when. */
    OrderItemsDeleted: {
      /** @description The id of the order. */
      orderId: string;
      /** @description Null: it was not sent. */
      productId: string | null;
      /** @description Null: it was not sent. */
      sku: string | null;
      /**
       * Format: date-time
       * @description When the deletion was accepted, in UTC.
       */
      deletedAt: string;
    };
    /** @description A record that a preview would change. */
    PreviewExample: {
      /** @description The name of the object. */
      Object: string;
      /** @description The first row about the record; null: its rows name it by another identifier. */
      Line: number | null;
      /** @description What identifies the record, by field. */
      Identifiers: {
        [key: string]: string;
      };
      /** @description The fields that would change, by name. */
      Fields: {
        [key: string]: components['schemas']['FieldChange'];
      };
      /** @description Fields that would change and are too long to be shown; absent: none. */
      OmittedFields?: string[];
    };
    /** @description What a preview reads. Fields that it does not use are ignored and named in the answer. */
    PreviewOptions: {
      /**
       * Format: uuid
       * @description The tenant. A GUID in any case. Required: null, empty and blank count as missing.
       */
      TenantId: string;
      /**
       * Format: bucket-name
       * @description The bucket with the files. It belongs to the organization that registers it first. A name that Cloud Storage accepts. Required: null, empty and blank count as missing.
       */
      BucketName: string;
      /** @description What a historical transfer or a preview reads: prefixes of object names, without a slash in front. None is blank. Null counts as absent. By default the whole bucket. */
      HistoricalDataFolderPaths?: string[] | null;
      /** @description What a daily, hourly or live transfer reads: prefixes of object names, without a slash in front. None is blank. Null counts as absent. By default the whole bucket. */
      DataFolderPaths?: string[] | null;
      /** @description The minute of each hour at which an hourly transfer starts. Null counts as absent. By default `0`. */
      HourlyJobStartingMinuteUTC?: number | null;
      /** @description The hour at which a daily transfer starts, in UTC. Null counts as absent. By default `0`. */
      DailyJobStartingHourUTC?: number | null;
      /** @description The minute of that hour. Null counts as absent. By default `0`. */
      DailyJobStartingMinuteUTC?: number | null;
      /** @description How many rows are read of each file, from the first on. Null counts as absent. By default all. */
      SampleRowsPerFile?: number | null;
    };
    /** @description The run of a preview. */
    PreviewReference: {
      /** @description The id of the run, which shows what would change. */
      RunId: string;
      /** @description Fields that are not known, or that this kind of transfer does not use: at most 20; absent: none. Without its own folder paths the whole bucket is read. */
      ignoredFields?: string[];
    };
    /** @description A product as it is sent. It is found by its `ProductId`, or by the `Sku` of its variants where the tenant has chosen that. Further fields are ignored. */
    Product: {
      /**
       * Format: text
       * @description The id of the product. Required: null, empty and blank count as missing.
       */
      ProductId: string;
      /**
       * Format: text
       * @description The name of the product. Null clears it.
       */
      ProductName?: string | null;
      /** @description Categories or tags. Null clears it. */
      Taxonomy?: string[] | null;
      /** @description Whether it is sold offline only. Null clears it. */
      IsOfflineExclusive?: boolean | null;
      /** @description The variants; may be empty. Variants that are stored and not sent stay. Required. */
      ProductVariants: components['schemas']['ProductVariant'][];
    };
    /** @description The id as it was accepted, and when. */
    ProductDeleted: {
      /** @description The id of the product. */
      productId: string;
      /**
       * Format: date-time
       * @description When the deletion was accepted, in UTC.
       */
      deletedAt: string;
    };
    /** @description The id of a product to delete with all its variants. With a `VariantId` that variant alone is deleted. */
    ProductDeletion: {
      /**
       * Format: text
       * @description The id of the product. Required: null, empty and blank count as missing.
       */
      ProductId: string;
      /**
       * Format: text
       * @description The id of the variant; absent: the whole product is deleted. It must not be empty or blank. Null counts as absent.
       */
      VariantId?: string | null;
    };
    /** @description A variant of a product as it is sent. */
    ProductVariant: {
      /**
       * Format: text
       * @description The id of the variant within its product. Required: null, empty and blank count as missing.
       */
      VariantId: string;
      /**
       * Format: text
       * @description The stock keeping unit. Required: null, empty and blank count as missing.
       */
      Sku: string;
      /**
       * Format: text
       * @description The name of the variant. Null clears it.
       */
      Name?: string | null;
      /**
       * Format: text
       * @description The URL of an image. Null clears it.
       */
      Image?: string | null;
      /**
       * Format: text
       * @description The size, such as `500 ml`, `2x250g` or `XL`. Its number and unit are parsed and stored beside it. Null clears it.
       */
      Size?: string | null;
      /**
       * Format: text
       * @description The colour. Null clears it.
       */
      Color?: string | null;
      /**
       * Format: int32
       * @description How many are in stock. A whole number of 32 bits. Null clears it.
       */
      Stock?: number | null;
      /** @description The regular price, in `Currency`. Null clears it. */
      OriginalPrice?: number | null;
      /** @description The discounted price, in `Currency`. Null clears it. */
      SalePrice?: number | null;
      /**
       * Format: currency-code
       * @description The currency of the prices. An ISO 4217 code of money in use, in any case. Null clears it.
       */
      Currency?: string | null;
      /** @description Whether it can be bought. Null clears it. */
      IsAvailable?: boolean | null;
      /**
       * Format: language-tag
       * @description The language of the texts. An IETF BCP 47 tag of the form language[-script][-region], such as `pt-BR`, in any case. Null clears it.
       */
      Language?: string | null;
      /**
       * Format: text
       * @description The name of the brand. Null clears it.
       */
      BrandName?: string | null;
      /**
       * Format: text
       * @description The URL of its page in the shop. Null clears it.
       */
      Url?: string | null;
    };
    /** @description The ids as they were accepted, and when. */
    ProductVariantDeleted: {
      /** @description The id of the product. */
      productId: string;
      /** @description The id of the variant. */
      variantId: string;
      /**
       * Format: date-time
       * @description When the deletion was accepted, in UTC.
       */
      deletedAt: string;
    };
    /** @description A refusal by the rate limit. */
    RateLimitError: {
      /** @constant */
      success: false;
      /** @description What is wrong, for a person. */
      message: string;
      data: {
        /** @description Seconds to wait. */
        retryAfter: number;
      };
    };
    /** @description Rows by what they did to records. */
    RecordChanges: {
      /** @description Rows that created a record. */
      Created: number;
      /** @description Rows that changed a record. */
      Updated: number;
      /** @description Rows that were stored and changed nothing. */
      Unchanged: number;
      /** @description Rows that deleted something. */
      Deleted: number;
    };
    /** @description There is no such record, or an accepted deletion means it. */
    RecordNotFoundError: {
      /** @constant */
      success: false;
      /** @description What is wrong, for a person. */
      message: string;
      data: {
        /**
         * Format: date-time
         * @description When a deletion was accepted, in UTC, that is left out here and not applied yet: of the record or of parts of it, of several the first one. Absent: there is none.
         */
        deletionAcceptedAt?: string;
      };
    };
    /** @description The job of a daily, hourly or live transfer. */
    RecurringRegistration: {
      /** @description The id of the job, one for each tenant and kind. */
      recurringJobId: string;
      /**
       * @description Whether the service can read the bucket now. The transfer is registered in any case. `unknown`: Cloud Storage did not say in time.
       * @enum {string}
       */
      BucketAccess: 'ok' | 'denied' | 'notFound' | 'unknown';
      /** @description What the owner of the bucket has to do; absent unless access is denied, or the transfer is live. */
      Setup?: components['schemas']['BucketSetup'];
      /** @description Fields that are not known, or that this kind of transfer does not use: at most 20; absent: none. Without its own folder paths the whole bucket is read. */
      ignoredFields?: string[];
    };
    /** @description An element of a batch that was left out because it is invalid. */
    RejectedElement: {
      /** @description Its index in the array that was sent, from 0. */
      index: number;
      /** @description Messages by the path of the field, which begins at the element: at most 20. */
      errors: {
        [key: string]: string[];
      };
      /** @description How many messages are left out; absent: none. */
      omittedErrors?: number;
    };
    /** @description What was counted of one operation. */
    RouteUsage: {
      /** @description The name of the operation, such as `upsertCustomers`; `transfers`: the rows of files, in the hour in which their run ended. */
      route: string;
      /** @description Requests with a valid key, refused ones too. */
      requests: number;
      /** @description Records that were stored. */
      records: number;
      /** @description Records that were refused as invalid, those of a batch that was refused as a whole too. */
      rejected: number;
      /** @description Deletions that were accepted. */
      deletions: number;
      /** @description Requests that were answered with a status of 400 or more. */
      errors: number;
      /** @description Those of them that were answered with 429: over the limit of their key. */
      limited: number;
    };
    /** @description The rows of a file or run. `Read` is the sum of the others. */
    RowCounts: {
      /** @description Rows that were read. */
      Read: number;
      /** @description Rows that were stored. */
      Stored: number;
      /** @description Rows that break a rule. */
      Invalid: number;
      /** @description Rows that changed nothing, because something newer was stored or deleted. */
      Stale: number;
      /** @description Rows that only delete, whether or not anything was there. */
      Deleted: number;
    };
    /** @description A bad row of a file. It repeats no rejected value. */
    RowError: {
      /** @description The name of the object. */
      Object: string;
      /** @description Its generation in Cloud Storage. */
      Generation: string;
      /**
       * Format: int64
       * @description The line of the row; in an array its position, from 1.
       */
      Line: number;
      /** @description Messages by the path of the field; the empty path is the whole row. */
      Errors: {
        [key: string]: string[];
      };
      /** @description How many messages are left out; absent: none. */
      OmittedErrors?: number;
    };
    /** @description A page of bad rows. */
    RowErrorList: {
      /** @description File by file, in the order of their lines. */
      Errors: components['schemas']['RowError'][];
      /** @description Asks for the next page as `pageToken`; null: this is the last one. */
      NextPageToken: string | null;
    };
    /** @description One execution of a transfer. Counts are those so far while it runs. */
    Run: {
      /** @description The id of the run. It begins with the time of its start. */
      RunId: string;
      /** @description The id of the job that it is of. */
      JobId: string;
      /**
       * @description What started it: a registration, the schedule, uploads (`live`), the daily look of a live transfer through its folders (`sweep`), a replay, a preview, or a request; null: it is not known.
       * @enum {string|null}
       */
      Kind: 'historical' | 'daily' | 'hourly' | 'live' | 'sweep' | 'replay' | 'preview' | 'manual' | null;
      /** @description The bucket that it reads. */
      BucketName: string;
      /** @description Empty: the whole bucket. */
      FolderPaths: string[];
      /** @description The id of the run whose bad rows it reads again; null: it is no replay. */
      ReplayOf: string | null;
      /**
       * @description `partial`: it has ended, with bad rows or failed files.
       * @enum {string}
       */
      Status: 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled';
      /**
       * Format: date-time
       * @description When it began or, while it waits, begins, in UTC: a run of the full hour up to 5 minutes after it, each tenant at a minute of its own.
       */
      StartedAt: string;
      /**
       * Format: date-time
       * @description When it ended, in UTC; null: it runs.
       */
      FinishedAt: string | null;
      /** @description Its files; null: it has more than one request counts. */
      Files: components['schemas']['FileCounts'] | null;
      /** @description Its rows; null as `Files`. */
      Rows: components['schemas']['RowCounts'] | null;
      /** @description What it has changed, or a preview would; null as `Files`, where an older release has read some of the rows, and of a preview that is older than 24 hours. */
      Changes: components['schemas']['RunChanges'] | null;
      /** @description Paths of fields that rows have and records do not, at most 20. */
      IgnoredFields: string[];
      /** @description What was accepted and probably not meant. */
      Warnings: components['schemas']['TransferWarning'][];
      /** @description Why it failed; null: it did not. */
      Error: string | null;
      /** @description Why the tenant's topic could not be notified of its end; null: it was notified, or there is none. */
      NotificationError: string | null;
      /** @description Names it and its replays in the service's logs; say it when you ask the operator about it. Null: a release that gave none has started it. */
      TraceId: string | null;
    };
    /** @description What a run has changed. */
    RunChanges: {
      /** @description Of customers. */
      Customers: components['schemas']['CustomerChanges'];
      /** @description Of products. */
      Products: components['schemas']['RecordChanges'];
      /** @description Of orders. */
      Orders: components['schemas']['RecordChanges'];
    };
    /** @description A run. */
    RunDetails: {
      /** @description The run. */
      Run: components['schemas']['RunWithExamples'];
    };
    /** @description A file of a run. */
    RunFile: {
      /** @description The name of the object. */
      Object: string;
      /** @description Its generation in Cloud Storage. */
      Generation: string;
      /**
       * Format: date-time
       * @description When it was written, in UTC.
       */
      Updated: string;
      /**
       * Format: int64
       * @description Its bytes as they are stored.
       */
      Size: number;
      /**
       * @description What its rows are; null: its name does not tell.
       * @enum {string|null}
       */
      Kind: 'customers' | 'products' | 'orders' | null;
      /**
       * @description Its format; null as `Kind`.
       * @enum {string|null}
       */
      Format: 'ndjson' | 'json' | 'csv' | 'avro' | 'parquet' | null;
      /**
       * @description `skipped`: the run does not read it, or not to its end.
       * @enum {string}
       */
      Status: 'waiting' | 'running' | 'finished' | 'failed' | 'skipped';
      /**
       * @description Why it is skipped; null in any other status.
       * @enum {string|null}
       */
      Reason: 'unknown kind' | 'unknown format' | 'read before' | 'replaced' | 'run ended' | null;
      /** @description Its rows, those so far while it is read. */
      Rows: components['schemas']['RowCounts'];
      /** @description Why it failed; null: it did not. */
      Error: string | null;
      /**
       * Format: int64
       * @description Bytes, inflated, up to which a running file is stored; null in any other status.
       */
      ReadBytes: number | null;
    };
    /** @description A page of files. */
    RunFileList: {
      /** @description In no order that means anything. */
      Files: components['schemas']['RunFile'][];
      /** @description Asks for the next page as `pageToken`; null: this is the last one. */
      NextPageToken: string | null;
    };
    /** @description A page of runs. */
    RunList: {
      /** @description The newest first. */
      Runs: components['schemas']['Run'][];
      /** @description Asks for the next page as `pageToken`; null: this is the last one. */
      NextPageToken: string | null;
    };
    /** @description A run. */
    RunReference: {
      /** @description The id of the run. */
      RunId: string;
    };
    /** @description A run, and what a preview has to show. */
    RunWithExamples: {
      /** @description The id of the run. It begins with the time of its start. */
      RunId: string;
      /** @description The id of the job that it is of. */
      JobId: string;
      /**
       * @description What started it: a registration, the schedule, uploads (`live`), the daily look of a live transfer through its folders (`sweep`), a replay, a preview, or a request; null: it is not known.
       * @enum {string|null}
       */
      Kind: 'historical' | 'daily' | 'hourly' | 'live' | 'sweep' | 'replay' | 'preview' | 'manual' | null;
      /** @description The bucket that it reads. */
      BucketName: string;
      /** @description Empty: the whole bucket. */
      FolderPaths: string[];
      /** @description The id of the run whose bad rows it reads again; null: it is no replay. */
      ReplayOf: string | null;
      /**
       * @description `partial`: it has ended, with bad rows or failed files.
       * @enum {string}
       */
      Status: 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled';
      /**
       * Format: date-time
       * @description When it began or, while it waits, begins, in UTC: a run of the full hour up to 5 minutes after it, each tenant at a minute of its own.
       */
      StartedAt: string;
      /**
       * Format: date-time
       * @description When it ended, in UTC; null: it runs.
       */
      FinishedAt: string | null;
      /** @description Its files; null: it has more than one request counts. */
      Files: components['schemas']['FileCounts'] | null;
      /** @description Its rows; null as `Files`. */
      Rows: components['schemas']['RowCounts'] | null;
      /** @description What it has changed, or a preview would; null as `Files`, where an older release has read some of the rows, and of a preview that is older than 24 hours. */
      Changes: components['schemas']['RunChanges'] | null;
      /** @description Paths of fields that rows have and records do not, at most 20. */
      IgnoredFields: string[];
      /** @description What was accepted and probably not meant. */
      Warnings: components['schemas']['TransferWarning'][];
      /** @description Why it failed; null: it did not. */
      Error: string | null;
      /** @description Why the tenant's topic could not be notified of its end; null: it was notified, or there is none. */
      NotificationError: string | null;
      /** @description Names it and its replays in the service's logs; say it when you ask the operator about it. Null: a release that gave none has started it. */
      TraceId: string | null;
      /** @description Records that a preview would change, at most 20, consents first; null: it is no preview, or it is older than 24 hours. */
      Examples: components['schemas']['PreviewExample'][] | null;
    };
    /** @description A customer as it is stored. Fields without a value are absent. A consent that is absent counts as false. */
    StoredCustomer: {
      /** @description The caller's own id of the customer. This or `Email` must have a value. */
      CustomerId?: string;
      /** @description The e-mail address. This or `CustomerId` must have a value. */
      Email?: string;
      /** @description The first name. */
      Name?: string;
      /** @description The last name. */
      Surname?: string;
      /** @description The telephone number. SMS campaigns need it. */
      Phone?: string;
      /** @description The language of the customer. A tenant may make it mandatory. */
      Language?: string;
      /** @description The user name in the caller's system. */
      Username?: string;
      /** @description Consent to marketing by e-mail. */
      EmailOptin?: boolean;
      /** @description Consent to marketing by SMS. */
      SmsOptin?: boolean;
      /** @description Consent to messages by WhatsApp. */
      WhatsappOptin?: boolean;
      /** @description Consent to app push messages. */
      AppPushOptin?: boolean;
      /** @description Consent under the GDPR. Without it data is stored, and marketing is restricted. A tenant may make it mandatory. */
      GdprOptin?: boolean;
      /** @description Excludes the customer from all campaigns. */
      IsExcluded?: boolean;
      /**
       * Format: date-time
       * @description When the record was last written, in UTC.
       */
      updatedAt: string;
      /**
       * Format: date-time
       * @description Since when what it says is true, in UTC. A record from a file is as old as its row.
       */
      asOf: string;
    };
    /** @description An order as it is stored. Fields without a value are absent. */
    StoredOrder: {
      /** @description The id of the order. */
      OrderId: string;
      /** @description The e-mail address of the customer. */
      Email?: string;
      /** @description The caller's own id of the customer. */
      CustomerId?: string;
      /** @description Whose order it is, by the identifier that the tenant has chosen; null: it names no customer. */
      Customer?: components['schemas']['OrderCustomer'] | null;
      /** @description How many pieces it has in all. */
      TotalQuantity?: number;
      /** @description The value of the order, in `Currency`; a refund is negative. */
      TotalRevenue?: number;
      /**
       * Format: date-time
       * @description When it was placed.
       */
      OrderDate?: string;
      /** @description The currency of all amounts. */
      Currency: string;
      /** @description How many different items it has. */
      UniqueQuantity?: number;
      /** @description Whether it was cancelled. */
      IsOrderCancelled?: boolean;
      /** @description What was bought. Items that are stored and not sent stay. */
      OrderItems: components['schemas']['StoredOrderItem'][];
      /**
       * Format: date-time
       * @description When the record was last written, in UTC.
       */
      updatedAt: string;
      /**
       * Format: date-time
       * @description Since when what it says is true, in UTC. A record from a file is as old as its row.
       */
      asOf: string;
    };
    /** @description An item as it is stored. Fields without a value are absent. */
    StoredOrderItem: {
      /** @description The id of the product that was bought. */
      ProductId: string;
      /** @description The stock keeping unit that was bought. */
      Sku: string;
      /** @description How many were bought. */
      Quantity: number;
      /** @description The price of one, in the currency of the order. */
      Price: number;
      /** @description The size, such as `500 ml`, `2x250g` or `XL`. Its number and unit are parsed and stored beside it. */
      Size?: string;
      /** @description The number in `Size`, of a multipack in all; null: there is none. */
      SizeNumeric?: number | null;
      /** @description The unit in `Size`, or its text; null: there is none. */
      SizeMetric?: string | null;
      /** @description The colour. */
      Color?: string;
      /** @description The brand. */
      Brand?: string;
      /** @description Whether it is a gift. */
      IsGift?: boolean;
      /** @description The price of one before discounts, in the currency of the order. */
      OriginalPrice?: number;
    };
    /** @description A product as it is stored. Fields without a value are absent. */
    StoredProduct: {
      /** @description The id of the product. */
      ProductId: string;
      /** @description The name of the product. */
      ProductName?: string;
      /** @description Categories or tags. */
      Taxonomy?: string[];
      /** @description Whether it is sold offline only. */
      IsOfflineExclusive?: boolean;
      /** @description The variants; may be empty. Variants that are stored and not sent stay. */
      ProductVariants: components['schemas']['StoredProductVariant'][];
      /**
       * Format: date-time
       * @description When the record was last written, in UTC.
       */
      updatedAt: string;
      /**
       * Format: date-time
       * @description Since when what it says is true, in UTC. A record from a file is as old as its row.
       */
      asOf: string;
    };
    /** @description A variant as it is stored. Fields without a value are absent. */
    StoredProductVariant: {
      /** @description The id of the variant within its product. */
      VariantId: string;
      /** @description The stock keeping unit. */
      Sku: string;
      /** @description The name of the variant. */
      Name?: string;
      /** @description The URL of an image. */
      Image?: string;
      /** @description The size, such as `500 ml`, `2x250g` or `XL`. Its number and unit are parsed and stored beside it. */
      Size?: string;
      /** @description The number in `Size`, of a multipack in all; null: there is none. */
      SizeNumeric?: number | null;
      /** @description The unit in `Size`, or its text; null: there is none. */
      SizeMetric?: string | null;
      /** @description The colour. */
      Color?: string;
      /** @description How many are in stock. */
      Stock?: number;
      /** @description The regular price, in `Currency`. */
      OriginalPrice?: number;
      /** @description The discounted price, in `Currency`. */
      SalePrice?: number;
      /** @description The currency of the prices. */
      Currency?: string;
      /** @description Whether it can be bought. */
      IsAvailable?: boolean;
      /** @description The language of the texts. */
      Language?: string;
      /** @description The name of the brand. */
      BrandName?: string;
      /** @description The URL of its page in the shop. */
      Url?: string;
    };
    /** @description A recurring transfer that is registered. */
    Transfer: {
      /** @description The id of the job. */
      JobId: string;
      /**
       * @description How often it runs; `live`: when files are uploaded.
       * @enum {string}
       */
      Kind: 'daily' | 'hourly' | 'live';
      /** @description Its bucket; null: the job was changed by hand. */
      BucketName: string | null;
      /** @description Empty: the whole bucket; null: the job was changed by hand. */
      DataFolderPaths: string[] | null;
      /** @description The schedule as unix-cron. A live transfer looks for missed files then. */
      Schedule: string;
      /** @description The time zone of the schedule. */
      TimeZone: string;
      /**
       * Format: date-time
       * @description When it runs next, in UTC; null: the job is paused.
       */
      NextRunAt: string | null;
      /** @description Its newest run of any kind; null: there is none. */
      LastRun: components['schemas']['Run'] | null;
    };
    /** @description A refusal. */
    TransferError: {
      /** @constant */
      Success: false;
      /** @description What is wrong, for a person. */
      Message: string;
      /** @description Empty. */
      Data: Record<string, never>;
    };
    /** @description The recurring transfers of a tenant. */
    TransferList: {
      /** @description At most one of each kind. */
      Transfers: components['schemas']['Transfer'][];
    };
    /** @description What a transfer reads, and when. Fields that its kind does not use are ignored and named in the answer. */
    TransferOptions: {
      /**
       * Format: uuid
       * @description The tenant. A GUID in any case. Required: null, empty and blank count as missing.
       */
      TenantId: string;
      /**
       * Format: bucket-name
       * @description The bucket with the files. It belongs to the organization that registers it first. A name that Cloud Storage accepts. Required: null, empty and blank count as missing.
       */
      BucketName: string;
      /** @description What a historical transfer or a preview reads: prefixes of object names, without a slash in front. None is blank. Null counts as absent. By default the whole bucket. */
      HistoricalDataFolderPaths?: string[] | null;
      /** @description What a daily, hourly or live transfer reads: prefixes of object names, without a slash in front. None is blank. Null counts as absent. By default the whole bucket. */
      DataFolderPaths?: string[] | null;
      /** @description The minute of each hour at which an hourly transfer starts. Null counts as absent. By default `0`. */
      HourlyJobStartingMinuteUTC?: number | null;
      /** @description The hour at which a daily transfer starts, in UTC. Null counts as absent. By default `0`. */
      DailyJobStartingHourUTC?: number | null;
      /** @description The minute of that hour. Null counts as absent. By default `0`. */
      DailyJobStartingMinuteUTC?: number | null;
    };
    /** @description A refusal by the rate limit. */
    TransferRateLimitError: {
      /** @constant */
      Success: false;
      /** @description What is wrong, for a person. */
      Message: string;
      Data: {
        /** @description Seconds to wait. */
        retryAfter: number;
      };
    };
    /** @description What was accepted and probably not meant. */
    TransferWarning: {
      /**
       * @description What it is about. A code keeps its meaning.
       * @enum {string}
       */
      Code:
        | 'emailMissing'
        | 'customerIdMissing'
        | 'consentNotApplied'
        | 'fieldCase'
        | 'itemsDropped'
        | 'variantsDropped'
        | 'folderEmpty'
        | 'unknownKind'
        | 'unknownFormat'
        | 'uploadMissed'
        | 'fileEmpty'
        | 'fileWithoutRows'
        | 'noFileUsed';
      /** @description What it means and what to do, for a person. */
      Message: string;
      /** @description How many elements, rows, files or folders it concerns. */
      Count: number;
      /** @description The first ones, at most 5. */
      Examples: components['schemas']['TransferWarningExample'][];
    };
    /** @description Where something to warn of was met. It has no value of a record. */
    TransferWarningExample: {
      /** @description The index of an element in the array that was sent, from 0. */
      Index?: number;
      /** @description The name of an object. */
      Object?: string;
      /** @description The line of a row in it; in an array its position, from 1. */
      Line?: number;
      /** @description A folder path as it was registered. */
      Folder?: string;
      /** @description A field by the name that was sent. */
      Field?: string;
      /** @description The name by which that field is known. */
      Expected?: string;
    };
    /** @description What an upsert would do. Nothing was stored. */
    UpsertCheck: {
      /** @description Elements that are valid. */
      count: number;
      /** @description Records that it would create. */
      wouldCreate: number;
      /** @description Records that are there already. */
      wouldUpdate: number;
      /** @description Paths of fields that are not known and so were not stored, such as a misspelt `EmailOptIn`: at most 20; absent: none. */
      ignoredFields?: string[];
      /** @description How many elements were left out because they are invalid; absent without `onInvalid=skip`. */
      rejectedCount?: number;
      /** @description The first 100 of them; absent without `onInvalid=skip`. */
      rejected?: components['schemas']['RejectedElement'][];
      /** @description What was accepted and probably not meant; absent: nothing. */
      warnings?: components['schemas']['Warning'][];
    };
    /** @description What an upsert has done. Several elements of one record count once in `created` or `updated`. */
    UpsertResult: {
      /** @description Elements that were stored. */
      count: number;
      /** @description Records that were created. */
      created: number;
      /** @description Records that were there already. */
      updated: number;
      /**
       * Format: date-time
       * @description When it was stored, in UTC.
       */
      processedAt: string;
      /** @description Paths of fields that are not known and so were not stored, such as a misspelt `EmailOptIn`: at most 20; absent: none. */
      ignoredFields?: string[];
      /** @description How many elements were left out because they are invalid; absent without `onInvalid=skip`. */
      rejectedCount?: number;
      /** @description The first 100 of them; absent without `onInvalid=skip`. */
      rejected?: components['schemas']['RejectedElement'][];
      /** @description What was accepted and probably not meant; absent: nothing. */
      warnings?: components['schemas']['Warning'][];
    };
    /** @description What was counted of a tenant in a time. */
    Usage: {
      /**
       * Format: date-time
       * @description The beginning of the first hour or day, in UTC.
       */
      from: string;
      /**
       * Format: date-time
       * @description The end of the last hour or day, in UTC.
       */
      to: string;
      /**
       * @description How long a step is.
       * @enum {string}
       */
      step: 'hour' | 'day';
      /** @description The sums. */
      totals: components['schemas']['UsageCounts'];
      /** @description Each hour or day in its order, also where nothing was counted. */
      steps: components['schemas']['UsageStep'][];
      /** @description By key, those with the most requests first. */
      keys: components['schemas']['KeyUsage'][];
      /** @description By operation, those with the most requests first. */
      routes: components['schemas']['RouteUsage'][];
    };
    /** @description What was counted. */
    UsageCounts: {
      /** @description Requests with a valid key, refused ones too. */
      requests: number;
      /** @description Records that were stored. */
      records: number;
      /** @description Records that were refused as invalid, those of a batch that was refused as a whole too. */
      rejected: number;
      /** @description Deletions that were accepted. */
      deletions: number;
      /** @description Requests that were answered with a status of 400 or more. */
      errors: number;
      /** @description Those of them that were answered with 429: over the limit of their key. */
      limited: number;
    };
    /** @description What was counted in one hour or day. */
    UsageStep: {
      /**
       * Format: date-time
       * @description Its beginning, in UTC.
       */
      time: string;
      /** @description Requests with a valid key, refused ones too. */
      requests: number;
      /** @description Records that were stored. */
      records: number;
      /** @description Records that were refused as invalid, those of a batch that was refused as a whole too. */
      rejected: number;
      /** @description Deletions that were accepted. */
      deletions: number;
      /** @description Requests that were answered with a status of 400 or more. */
      errors: number;
      /** @description Those of them that were answered with 429: over the limit of their key. */
      limited: number;
    };
    /** @description What is wrong with a body. */
    ValidationError: {
      /** @constant */
      type: 'https://tools.ietf.org/html/rfc7231#section-6.5.1';
      /** @constant */
      title: 'One or more validation errors occurred.';
      /** @constant */
      status: 400;
      /** @description That of the header `X-Trace-Id`. */
      traceId: string;
      /** @description Messages by the path of the field, such as `[3].ProductVariants[1].Sku`; the empty path is the whole body or, where its message names one, an element. */
      errors: {
        [key: string]: string[];
      };
      /** @description How many messages are left out; absent: none. */
      omittedErrors?: number;
      /** @description Fields that are not known; the misspelt name of a missing one may be among them. Absent: none. */
      ignoredFields?: string[];
    };
    /** @description What was accepted and probably not meant. */
    Warning: {
      /**
       * @description What it is about. A code keeps its meaning.
       * @enum {string}
       */
      code:
        | 'emailMissing'
        | 'customerIdMissing'
        | 'consentNotApplied'
        | 'fieldCase'
        | 'itemsDropped'
        | 'variantsDropped'
        | 'folderEmpty'
        | 'unknownKind'
        | 'unknownFormat'
        | 'uploadMissed'
        | 'fileEmpty'
        | 'fileWithoutRows'
        | 'noFileUsed';
      /** @description What it means and what to do, for a person. */
      message: string;
      /** @description How many elements, rows, files or folders it concerns. */
      count: number;
      /** @description The first ones, at most 5. */
      examples: components['schemas']['WarningExample'][];
    };
    /** @description Where something to warn of was met. It has no value of a record. */
    WarningExample: {
      /** @description The index of an element in the array that was sent, from 0. */
      index?: number;
      /** @description The name of an object. */
      object?: string;
      /** @description The line of a row in it; in an array its position, from 1. */
      line?: number;
      /** @description A folder path as it was registered. */
      folder?: string;
      /** @description A field by the name that was sent. */
      field?: string;
      /** @description The name by which that field is known. */
      expected?: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type BucketSetup = components['schemas']['BucketSetup'];
export type ConsentChanges = components['schemas']['ConsentChanges'];
export type ConsentsChanges = components['schemas']['ConsentsChanges'];
export type Customer = components['schemas']['Customer'];
export type CustomerChanges = components['schemas']['CustomerChanges'];
export type CustomerDeleted = components['schemas']['CustomerDeleted'];
export type CustomerDeletion = components['schemas']['CustomerDeletion'];
export type DeletionCheck = components['schemas']['DeletionCheck'];
export type DeletionResult = components['schemas']['DeletionResult'];
export type Error = components['schemas']['Error'];
export type FieldChange = components['schemas']['FieldChange'];
export type FileCounts = components['schemas']['FileCounts'];
export type FoundCustomers = components['schemas']['FoundCustomers'];
export type FoundOrder = components['schemas']['FoundOrder'];
export type FoundProduct = components['schemas']['FoundProduct'];
export type HistoricalRegistration = components['schemas']['HistoricalRegistration'];
export type KeyUsage = components['schemas']['KeyUsage'];
export type Nothing = components['schemas']['Nothing'];
export type Order = components['schemas']['Order'];
export type OrderCustomer = components['schemas']['OrderCustomer'];
export type OrderDeleted = components['schemas']['OrderDeleted'];
export type OrderDeletion = components['schemas']['OrderDeletion'];
export type OrderItem = components['schemas']['OrderItem'];
export type OrderItemsDeleted = components['schemas']['OrderItemsDeleted'];
export type PreviewExample = components['schemas']['PreviewExample'];
export type PreviewOptions = components['schemas']['PreviewOptions'];
export type PreviewReference = components['schemas']['PreviewReference'];
export type Product = components['schemas']['Product'];
export type ProductDeleted = components['schemas']['ProductDeleted'];
export type ProductDeletion = components['schemas']['ProductDeletion'];
export type ProductVariant = components['schemas']['ProductVariant'];
export type ProductVariantDeleted = components['schemas']['ProductVariantDeleted'];
export type RateLimitError = components['schemas']['RateLimitError'];
export type RecordChanges = components['schemas']['RecordChanges'];
export type RecordNotFoundError = components['schemas']['RecordNotFoundError'];
export type RecurringRegistration = components['schemas']['RecurringRegistration'];
export type RejectedElement = components['schemas']['RejectedElement'];
export type RouteUsage = components['schemas']['RouteUsage'];
export type RowCounts = components['schemas']['RowCounts'];
export type RowError = components['schemas']['RowError'];
export type RowErrorList = components['schemas']['RowErrorList'];
export type Run = components['schemas']['Run'];
export type RunChanges = components['schemas']['RunChanges'];
export type RunDetails = components['schemas']['RunDetails'];
export type RunFile = components['schemas']['RunFile'];
export type RunFileList = components['schemas']['RunFileList'];
export type RunList = components['schemas']['RunList'];
export type RunReference = components['schemas']['RunReference'];
export type RunWithExamples = components['schemas']['RunWithExamples'];
export type StoredCustomer = components['schemas']['StoredCustomer'];
export type StoredOrder = components['schemas']['StoredOrder'];
export type StoredOrderItem = components['schemas']['StoredOrderItem'];
export type StoredProduct = components['schemas']['StoredProduct'];
export type StoredProductVariant = components['schemas']['StoredProductVariant'];
export type Transfer = components['schemas']['Transfer'];
export type TransferError = components['schemas']['TransferError'];
export type TransferList = components['schemas']['TransferList'];
export type TransferOptions = components['schemas']['TransferOptions'];
export type TransferRateLimitError = components['schemas']['TransferRateLimitError'];
export type TransferWarning = components['schemas']['TransferWarning'];
export type TransferWarningExample = components['schemas']['TransferWarningExample'];
export type UpsertCheck = components['schemas']['UpsertCheck'];
export type UpsertResult = components['schemas']['UpsertResult'];
export type Usage = components['schemas']['Usage'];
export type UsageCounts = components['schemas']['UsageCounts'];
export type UsageStep = components['schemas']['UsageStep'];
export type ValidationError = components['schemas']['ValidationError'];
export type Warning = components['schemas']['Warning'];
export type WarningExample = components['schemas']['WarningExample'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

/** The most elements of each batch. */
export const BATCHES = {
  upsertCustomers: 1000,
  deleteCustomers: 1000,
  upsertProducts: 200,
  deleteProducts: 1000,
  upsertOrders: 500,
  deleteOrders: 1000,
} as const;

/** The most bytes of a body, before and after compression. */
export const MAX_BODY_BYTES = 16777216;
