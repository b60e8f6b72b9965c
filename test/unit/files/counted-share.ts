import { EventLoopShare } from '../../../shared/platform/async/event-loop-share';

/** A share that is used up at each look, and counts how often it was renewed. */
export class CountedShare extends EventLoopShare {
  renewals = 0;

  override get isUsedUp(): boolean {
    return true;
  }

  override renew(): Promise<void> {
    this.renewals += 1;
    return Promise.resolve();
  }
}
