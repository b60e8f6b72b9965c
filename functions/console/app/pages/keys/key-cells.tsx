/** What tables show of a key. */
import type { MarkedKey } from '../../../../../shared/domain/key-marks';
import { Time } from '../../parts/time';
import { TEXTS } from '../../texts';
import type { Key } from './key';

export function KeyName({ keyId, name }: Pick<Key, 'keyId' | 'name'>) {
  return (
    <>
      {name === null ? <span class="soft">{TEXTS.keys.noName}</span> : <span class="text">{name}</span>}
      <br />
      <code class="whole">{keyId}</code>
    </>
  );
}

export function LastUse({ lastUsedAt }: Pick<MarkedKey, 'lastUsedAt'>) {
  return lastUsedAt === null ? <>{TEXTS.keys.never}</> : <Time at={lastUsedAt} />;
}

export function End({ expiresAt }: Pick<MarkedKey, 'expiresAt'>) {
  return expiresAt === null ? <>{TEXTS.keys.noEnd}</> : <Time at={expiresAt} />;
}
