/** That a batch which is only checked has the outcome of the upsert, and no effect. */
import { EXPECT_SAME_AS_TRIAL } from '../support/trials';

it.each(EXPECT_SAME_AS_TRIAL)(
  'of %s counts what the upsert right after it counts, and changes nothing (R-82, R-81)',
  async (_, expectSame) => {
    await expectSame(200);
  },
);
