import type { Transfers } from '../../../../../client/src/index';
import type { Access } from './access';
import type { Options, RegistrationKind } from './registration';

/** Registers a transfer. A repeat of one that recurs changes nothing, and looks at the bucket again. */
export async function register(transfers: Transfers, kind: RegistrationKind, options: Options): Promise<Access> {
  return { ...(await registered(transfers, kind, options)), bucket: options.BucketName };
}

function registered(transfers: Transfers, kind: RegistrationKind, options: Options) {
  switch (kind) {
    case 'historical':
      return transfers.registerHistorical(options);
    case 'daily':
      return transfers.registerDaily(options);
    case 'hourly':
      return transfers.registerHourly(options);
    case 'live':
      return transfers.registerLive(options);
  }
}
