/** The smallest console: who is signed in. */
import { render } from 'preact';

const root = document.getElementById('app');
const answer = (await (await fetch('/console/session')).json()) as { readonly message: string };
if (root) render(<p>{answer.message}</p>, root);
