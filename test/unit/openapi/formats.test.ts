/** What the document says of the formats that the service alone knows, against what the code takes. */
import * as fc from 'fast-check';
import { bodyRules } from '../../../shared/endpoint/description/body-rules';
import { withFormat } from '../../../shared/endpoint/description/format-schemas';
import { FORMAT_WORDS } from '../../../shared/endpoint/description/formats';
import type { RequestFormat } from '../../../shared/endpoint/description/formats';
import { FORMATS } from '../../../shared/validation/formats';

const NAMES = Object.keys(FORMAT_WORDS) as RequestFormat[];

const schemaOf = (format: RequestFormat, pattern?: string) =>
  withFormat({ type: 'string', format, ...(pattern !== undefined && { pattern }) });
const isOpen = (format: RequestFormat) => {
  const rulesOf = (field: object) => bodyRules({ properties: { Field: field } }).length;
  return rulesOf({ format }) > rulesOf({});
};

it.each(NAMES)('says of %s more than its name (R-146)', (format) => {
  const { format: name, type: _, ...keywords } = schemaOf(format);
  expect(name !== format || Object.keys(keywords).length > 0 || isOpen(format)).toBe(true);
});

/** Texts that are of one format or nearly so. */
const LIKELY = ['', ' ', '\t', 'EUR', 'eur', ' EUR', 'EURO', 'a@b', ' a@b ', 'a@b@c', 'a b@c', 'en', 'pt-BR', 'zh-Hant-TW', 'x-y', 'es-419', 'en_US', ' en ', '2026-03-01', '2026-3-1', '2026-02-30', ' 2026-03-01T10:00Z', '2026-03-01 10:00:00,5+0530', '2026-03-01T24:00', '2026-03-01T10:00-23:59', '0000-01-01', 'ada-exports', 'a.b', 'a..b', 'ab', 'goog-x', '1.2.3.4', 'a_b-c', 'A-b', '-ab', 'a'.repeat(64), 'a'.repeat(63), '\ud800@b']; // prettier-ignore

const PATTERNED = NAMES.flatMap((format) =>
  (format === 'bucket-name' ? ['\\S'] : [undefined, '\\S']).flatMap((own) => {
    // The name of a bucket is always required.
    const { pattern, minLength = 0, maxLength = Infinity } = schemaOf(format, own);
    return typeof pattern === 'string' && pattern !== own
      ? [{ format, isRequired: own !== undefined, pattern, least: Number(minLength), most: Number(maxLength) }]
      : [];
  }),
);

it.each(PATTERNED)(
  'takes as $format what the code takes, and leaves open what a rule tells: required $isRequired (R-146)',
  ({ format, isRequired, pattern, least, most }) => {
    const regExp = new RegExp(pattern, 'u');
    const takes = FORMATS[format] as (text: string) => boolean;
    const isTaken = (text: string) => takes(text) && (!isRequired || /\S/.test(text));
    // The fields of currencies have three characters.
    const isLong = (text: string) => format === 'currency-code' && text.length > 3;
    const texts = fc.oneof(fc.constantFrom(...LIKELY), fc.stringMatching(regExp), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(texts, (text) => {
        if (isLong(text)) return;
        const isAllowed = regExp.test(text) && text.length >= least && text.length <= most;
        if (isTaken(text)) expect([text, isAllowed]).toEqual([text, true]);
        else if (!isOpen(format)) expect([text, isAllowed]).toEqual([text, false]);
      }),
      { numRuns: 1_000 },
    );
  },
);
