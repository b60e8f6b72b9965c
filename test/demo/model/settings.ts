/** What of a tenant's configuration decides how records are stored (Spec §2.1). */
export interface Settings {
  readonly customerIdentifier: 'email' | 'customerid';
  readonly productIdentifier: 'productid' | 'sku';
  readonly orderCustomer: 'email' | 'customerid';
  readonly defaultLanguage: string;
}
