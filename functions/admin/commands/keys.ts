/** The commands about API keys. */
import type { Command } from 'commander';
import { createKey, revokeKey, rotateKey } from '../../../shared/operations/keys';
import { listKeys } from '../../../shared/operations/keys/list-keys';
import type { KeyTexts, RotationTexts } from '../options';
import { parseKeyOptions, parseRotationOptions } from '../options';
import type { Printing } from '../printing';

export function addKeys(program: Command, { print, list }: Printing): void {
  const keys = program.command('keys').description('API keys of organizations');
  keys
    .command('create')
    .description('create a key and print it, this once')
    .requiredOption('--organization <org>', 'the organization whose tenants it opens')
    .option(
      '--permissions <list>',
      'some of customers,products,orders,transfers,records,settings (default: all but records, which reads records back, and settings, which looks after keys and settings)',
    )
    .option('--limit <n>', 'requests a minute (default: 100)')
    .option('--name <text>', 'what the organization calls it')
    .option('--expires <time>', 'when it ends by itself, such as 90d or 2027-03-01T00:00:00Z (default: never)')
    .action((options: KeyTexts) =>
      print((operator) => createKey(parseKeyOptions(options, operator.clock.nowMs()), operator)),
    );
  keys
    .command('rotate <keyId>')
    .description('create its successor with the same name, permissions and limit, and print it, this once')
    .option('--overlap <time>', 'how long both are valid, such as 30m, 24h or 7d (default: 24h)')
    .option('--expires <time>', 'when the successor ends by itself; required where the key has an end')
    .action((keyId: string, options: RotationTexts) =>
      print((operator) => rotateKey(keyId, parseRotationOptions(options, operator.clock.nowMs()), operator)),
    );
  keys
    .command('list')
    .description('list the keys of an organization, never the keys themselves')
    .requiredOption('--organization <org>', 'the organization')
    .action((options: { organization: string }) =>
      list(['keyId', 'name', 'permissions', 'limit', 'expiresAt', 'revokedAt', 'lastUsedAt'], (operator) =>
        listKeys(options, operator),
      ),
    );
  keys
    .command('revoke <keyId>')
    .description('revoke a key from the next request on')
    .action((keyId: string) => print((operator) => revokeKey(keyId, operator)));
}
