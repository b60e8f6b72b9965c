import { ChoiceField } from '../../parts/field';
import { valueOf } from '../../state/address';
import { useConsole, useLink } from '../../state/console-context';
import { go } from '../../state/history';
import { TEXTS } from '../../texts';
import type { RangeName } from './range';
import { parseRange, RANGES } from './range';

/** The time that the address asks for. */
export function useRange(): RangeName {
  return parseRange(valueOf(useConsole().address, 'range'));
}

/** The choice of the time, and the way to look again. */
export function RangeField({ onRefresh }: { readonly onRefresh: () => void }) {
  const linkTo = useLink();
  const texts = TEXTS.usage;
  return (
    <div class="filters">
      <ChoiceField
        label={texts.range}
        value={useRange()}
        onChange={(chosen) => go(linkTo('overview', undefined, { range: chosen }))}
        choices={RANGES.map((value) => ({ value, text: texts.ranges[value] }))}
      />
      <button type="button" onClick={onRefresh}>
        {TEXTS.runs.refresh}
      </button>
    </div>
  );
}
