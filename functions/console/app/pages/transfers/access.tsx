import type { HistoricalRegistration } from '../../../../../client/src/index';
import { CopyButton } from '../../parts/copy-button';
import { Notice } from '../../parts/notice';
import { useLink } from '../../state/console-context';
import { TEXTS } from '../../texts';

/** What a registration says of the bucket. */
export interface Access extends Pick<HistoricalRegistration, 'BucketAccess' | 'Setup' | 'ignoredFields'> {
  readonly bucket: string;
  /** The job of a transfer that runs once; absent of others. */
  readonly JobId?: string;
}

const LOOKS = { ok: 'good', denied: 'bad', notFound: 'bad', unknown: 'warning' } as const;

/** Whether the service can read the bucket, and what is missing. */
export function AccessNotice({ access }: { readonly access: Access }) {
  const { BucketAccess: result, Setup: setup, bucket, ignoredFields = [] } = access;
  const linkTo = useLink();
  return (
    <Notice kind={LOOKS[result]}>
      <p>{TEXTS.access.results[result](bucket)}</p>
      {setup?.Commands ? (
        <>
          <p>{TEXTS.access.live}</p>
          {setup.Commands.map((command) => (
            <Command key={command} command={command} />
          ))}
        </>
      ) : (
        setup && <Grant bucket={bucket} role={setup.Role} serviceAccount={setup.ServiceAccount} />
      )}
      {access.JobId !== undefined && (
        <p>
          <a href={linkTo('runs', undefined, { job: access.JobId })}>{TEXTS.access.run}</a>
        </p>
      )}
      {ignoredFields.length > 0 && <p>{TEXTS.access.ignored(ignoredFields)}</p>}
    </Notice>
  );
}

interface GrantProps {
  readonly bucket: string;
  readonly role: string;
  readonly serviceAccount: string;
}

/** The role to grant, as a command to paste. */
export function Grant({ bucket, role, serviceAccount }: GrantProps) {
  const command = `gcloud storage buckets add-iam-policy-binding gs://${bucket} --member=serviceAccount:${serviceAccount} --role=${role}`;
  return (
    <>
      <p>{TEXTS.access.grant(role, serviceAccount)}</p>
      <Command command={command} />
    </>
  );
}

function Command({ command }: { readonly command: string }) {
  return (
    <p class="command">
      <code>{command}</code> <CopyButton text={command} what={TEXTS.access.command} />
    </p>
  );
}
