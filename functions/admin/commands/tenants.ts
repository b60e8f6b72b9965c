/** The commands about tenants and their settings. */
import type { Command } from 'commander';
import { Option } from 'commander';
import { eraseTenant } from '../../../shared/operations/erasure/erase';
import { rekeyTenant } from '../../../shared/operations/rekey';
import { createTenant, listTenants, requireTenant, updateTenant } from '../../../shared/operations/tenants';
import { createTenants } from '../../../shared/operations/tenants/create-tenants';
import { findTenants } from '../../../shared/operations/tenants/find-tenants';
import { resumeTenant, suspendTenant } from '../../../shared/operations/tenants/suspension';
import type { TenantTexts } from '../options';
import { parseTenantOptions } from '../options';
import type { Printing } from '../printing';
import { readTenantsFile } from '../tenants-file';

const TENANT_COLUMNS = [
  'tenantId',
  'organizationId',
  'displayName',
  'suspendedSince',
  'erasingSince',
  'customerIdentifier',
  'productIdentifier',
  'orderCustomer',
];

export function addTenants(program: Command, { print, list }: Printing): void {
  const tenants = program.command('tenants').description('tenants and their settings');
  const create = tenants.command('create').description('create a tenant and print it; or those of a file');
  withSettings(create, { isNew: true })
    .option('--organization <org>', 'the organization that it belongs to; required without --from')
    .option('--id <guid>', 'its id (default: a new GUID)')
    .addOption(
      new Option('--from <file>', 'create the tenants of a CSV or NDJSON file, and list what became of each').conflicts(
        ['organization', 'id', ...SETTING_OPTIONS],
      ),
    )
    .action(({ from, organization, ...texts }: TenantTexts & { from?: string }) => {
      if (from !== undefined) {
        return list(['line', 'outcome', 'tenantId', 'reason'], (operator) =>
          createTenants(readTenantsFile(from), operator),
        );
      }
      if (organization === undefined)
        return create.error("error: required option '--organization <org>' not specified");
      return print((operator) => createTenant({ ...parseTenantOptions(texts), organization }, operator));
    });
  withSettings(
    tenants.command('update <guid>').description('change the settings that are given and print the tenant'),
    { isNew: false },
  )
    .option('--organization <org>', 'the organization that it belongs to')
    .action((guid: string, options: TenantTexts) =>
      print((operator) => updateTenant(guid, parseTenantOptions(options), operator)),
    );
  tenants
    .command('show <guid>')
    .description('print a tenant')
    .action((guid: string) => print((operator) => requireTenant(guid, operator)));
  tenants
    .command('list')
    .description('list all tenants')
    .option('--search <text>', 'only those whose id or display name begins with it, or whose organization it is')
    .action(({ search }: { search?: string }) =>
      list(TENANT_COLUMNS, (operator) =>
        search === undefined ? listTenants(operator) : findTenants(search, operator),
      ),
    );
  tenants
    .command('suspend <guid>')
    .description('refuse a tenant’s requests and let its transfers rest, until it is resumed; print it')
    .action((guid: string) => print((operator) => suspendTenant(guid, operator)));
  tenants
    .command('resume <guid>')
    .description('serve a suspended tenant again, and go on with its transfers; safe to run again')
    .action((guid: string) => print((operator) => resumeTenant(guid, operator)));
  tenants
    .command('rekey <guid>')
    .description(
      're-key the stored records after an identifier was changed, and once more at repeatAfter; safe to run again',
    )
    .action((guid: string) => print((operator) => rekeyTenant(guid, operator)));
  tenants
    .command('erase <guid>')
    .description(
      'print what is stored of a tenant or, with --yes, remove all of it for good; safe to run again when it was stopped',
    )
    .option('--yes', 'remove it: requests of the tenant get 404 at once')
    .action((guid: string, options: { yes?: boolean }) => print((operator) => eraseTenant(guid, options, operator)));
}

/** The names of the options that `withSettings` adds. */
const SETTING_OPTIONS = [
  'displayName',
  'customerIdentifier',
  'productIdentifier',
  'orderCustomer',
  'defaultLanguage',
  'required',
  'notifyTopic',
];

/** Adds the options of a tenant's settings. @param isNew whether an absent setting gets its default */
function withSettings(command: Command, { isNew }: { isNew: boolean }): Command {
  const byDefault = (value: string) => (isNew ? ` (default: ${value})` : '');
  return command
    .option('--display-name <text>', 'what operators call it, for searches; "" for none')
    .option('--customer-identifier <field>', `what matches customers: email or customerid${byDefault('email')}`)
    .option('--product-identifier <field>', `what identifies products: productid or sku${byDefault('productid')}`)
    .option('--order-customer <field>', `what names an order’s customer: email or customerid${byDefault('email')}`)
    .option('--default-language <tag>', 'given to customers created without one, such as en or pt-BR; "" for none')
    .option('--required <fields>', 'customer fields that are mandatory, such as Language,GdprOptin; "" for none')
    .option('--notify-topic <topic>', 'notified when a run ends, as projects/PROJECT/topics/TOPIC; "" for none');
}
