import type { ResourceChange } from '../../../functions/release/deploy/plan-report';
import { toPlanReport } from '../../../functions/release/deploy/plan-report';

const ORIGIN = { release: 'v1.2.0', commit: 'c0ffee', node: 'v24.0.0' };

function changed(address: string, actions: string[], change: Partial<ResourceChange['change']> = {}): ResourceChange {
  return { address, change: { actions, before: null, after: null, after_unknown: {}, ...change } };
}

it('names what is done to which resource, and the attributes that change, without a value (R-386)', () => {
  const report = toPlanReport(ORIGIN, 'prod', {
    resource_changes: [
      changed('google_pubsub_topic.topics["deletions"]', ['no-op']),
      changed('data.google_project.this', ['read']),
      changed('google_firestore_index.orders', ['create'], { after: { collection: 'orders' } }),
      changed('google_monitoring_notification_channel.email', ['update'], {
        before: { labels: { email_address: 'ann@example.com' }, name: 'a', type: 'email' },
        after: { labels: { email_address: 'bob@example.com' }, type: 'email' },
        after_unknown: { labels: {}, name: true },
      }),
      changed('google_storage_bucket_object.source', ['create', 'delete'], {
        before: { name: 'a', tags: [] },
        after: { name: 'a', tags: [] },
        after_unknown: { tags: [{ id: true }] },
      }),
    ],
  });
  expect(report).toBe(`### Plan: v1.2.0 to prod

v1.2.0 is c0ffee. 3 resources change.

| what is done | resource | attributes |
|---|---|---|
| create | \`google_firestore_index.orders\` |  |
| update | \`google_monitoring_notification_channel.email\` | labels, name |
| create, then delete | \`google_storage_bucket_object.source\` | tags |
`);
});

it('says that nothing changes', () => {
  expect(toPlanReport(ORIGIN, 'staging', {})).toBe(
    '### Plan: v1.2.0 to staging\n\nv1.2.0 is c0ffee. Nothing changes.\n',
  );
});

it('fits into a comment, however many resources change', () => {
  const many = Array.from({ length: 5_000 }, (_, index) =>
    changed(`google_firestore_field.exempt["${index}"]`, ['create']),
  );
  const report = toPlanReport(ORIGIN, 'prod', { resource_changes: many });
  expect(report.length).toBeLessThan(65_536);
  const told = report.match(/^\| create/gm)?.length ?? 0;
  expect(told).toBeGreaterThan(500);
  expect(report).toContain(`\n${5_000 - told} more are in the log of the job.\n`);
});
