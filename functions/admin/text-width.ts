/** How many columns of a terminal a text takes. */

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The first character of what takes two columns: emoji, and letters of East Asian scripts. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

const ASCII = /^[ -~]*$/;

/** The columns that a text takes. It must have no control characters. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += widthOfGrapheme(segment);
  return width;
}

/** The text, or its beginning with an ellipsis when it takes more columns than this. */
export function cut(text: string, width: number): string {
  if (text.length <= width && ASCII.test(text)) return text;
  let beginning = '';
  let taken = 0;
  let isWhole = true;
  for (const { segment, index } of GRAPHEMES.segment(text)) {
    const next = taken + widthOfGrapheme(segment);
    const isLast = index + segment.length === text.length;
    if (next > (isLast ? width : width - 1)) {
      isWhole = false;
      break;
    }
    beginning += segment;
    taken = next;
  }
  return isWhole ? text : `${beginning}…`;
}

function widthOfGrapheme(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
