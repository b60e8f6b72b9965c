import type { PubSub } from '@google-cloud/pubsub';
import type { Config } from '../../config';
import type { TopicGrants } from '../../events/topic-grants';
import { CALL_TIMEOUT_MS } from '../../limits/platform';
import { lazyClient } from '../lazy-client';

const ROLE = 'roles/pubsub.publisher';
const OPTIONS = { timeout: CALL_TIMEOUT_MS };

/** Grants on the topics of a real project; the emulator has none. The first call loads the SDK. */
export class PubSubTopicGrants implements TopicGrants {
  private readonly connected: () => Promise<PubSub>;

  /** @param connect opens the client */
  constructor({ projectId }: Pick<Config, 'projectId'>, connect = () => connectTo(projectId)) {
    this.connected = lazyClient(connect);
  }

  async allowPublishing(topic: string, member: string): Promise<void> {
    const { iam } = (await this.connected()).topic(topic);
    const [policy] = await iam.getPolicy(OPTIONS);
    const bindings = policy.bindings ?? [];
    const isGranted = bindings.some(({ role, members, condition }) => {
      return role === ROLE && !condition && (members ?? []).includes(member);
    });
    if (isGranted) return;
    // The policy's etag refuses the write when somebody else has changed it meanwhile.
    await iam.setPolicy({ ...policy, bindings: [...bindings, { role: ROLE, members: [member] }] }, OPTIONS);
  }
}

async function connectTo(projectId: string): Promise<PubSub> {
  const { PubSub } = await import('@google-cloud/pubsub');
  return new PubSub({ projectId });
}
