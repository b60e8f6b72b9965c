/**
 * What the page does beside being read. All of it is in memory: nothing is stored, and no address has the key.
 */
import { all } from './dom';
import { startFilter } from './filter';
import { startNavigation } from './navigation';
import { startSamples } from './samples';
import { startTrying } from './try-it';
import { startValues } from './values';

startNavigation();
startFilter();
startValues();
startTrying();
startSamples();

// What is folded would be missing on paper.
addEventListener('beforeprint', () => {
  for (const details of all<HTMLDetailsElement>('details:not([open])')) {
    details.open = true;
    details.dataset.folded = '';
  }
});
addEventListener('afterprint', () => {
  for (const details of all<HTMLDetailsElement>('details[data-folded]')) {
    details.open = false;
    delete details.dataset.folded;
  }
});
