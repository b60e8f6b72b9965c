/** The pages of the console: what runs in the browser. */
import { render } from 'preact';
import { App } from './app';
import { followLinks } from './state/history';
import { applyTheme } from './state/theme';

applyTheme();
followLinks();
const root = document.getElementById('app');
if (root) render(<App />, root);
