/** What doctor says of a project, each fault planted alone into one in which everything is as Terraform makes it. */
import { examine, google, run, useProject } from './examined-project';
import { PROJECT, REGION } from './healthy-project';
import { FAULTS_OF_ACCESS } from './faults/of-access';
import { FAULTS_OF_RESOURCES } from './faults/of-resources';
import { FAULTS_OF_WORK } from './faults/of-work';

useProject();

it('says that all is well where everything is as Terraform makes it, and changes nothing (R-390)', async () => {
  const { code, stdout } = await run(['--project', PROJECT]);
  expect(stdout).toContain(
    `\nquotas\n  ok       Cloud Scheduler jobs: ${REGION} has 2 of 5000. CPUs: at most 107 of 200.\n`,
  );
  expect(stdout.split('\n').filter((line) => /^ {2}(wrong|unknown)/.test(line))).toEqual([]);
  expect(stdout.match(/^ {2}ok /gm)).toHaveLength(16);
  expect(stdout).toMatch(/\n\nAll is well\.\n$/);
  expect({ code, writes: google.writes }).toEqual({ code: 0, writes: [] });
});

it.each([...FAULTS_OF_ACCESS, ...FAULTS_OF_RESOURCES, ...FAULTS_OF_WORK])(
  'says: $what (R-390)',
  async ({ plant, area, what, remedy }) => {
    plant();
    const { code, findings } = await examine();
    expect(findings).toContainEqual({ area, verdict: 'wrong', what, remedy });
    expect(new Set(findings.map((finding) => finding.area))).toEqual(new Set([area]));
    expect(code).toBe(1);
  },
);
