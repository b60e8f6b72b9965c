import { badRequest, HttpProblem } from '../../../shared/http/problems';

/** How one gets a session: with a key, or from the command that prints an address. */
export type SignIn = 'key' | 'command';

export const sessionEnded = (signIn: SignIn) =>
  new HttpProblem(
    401,
    signIn === 'key'
      ? 'The session has ended. Please sign in again.'
      : 'The session has ended. Please start the console again and open the address that it prints.',
    {},
    { signIn },
  );

/**
 * Another page of the site, such as one of a sibling subdomain, has set a cookie of the same name, to have somebody
 * work in a session that is not theirs.
 */
export const severalCookies = (signIn: SignIn) =>
  new HttpProblem(
    401,
    `The browser has several cookies for the console, of which only one can be its own. Please delete the cookies of this site in the browser, and ${signIn === 'key' ? 'sign in again' : 'start the console again'}.`,
    {},
    { signIn, reason: 'severalCookies' },
  );

/** A write that may be another site's doing. */
export const notOwnPage = () =>
  new HttpProblem(
    403,
    "The request did not come from the console's own page. Please reload the page and try again.",
    {},
    { reason: 'notOwnPage' },
  );

export const keyRequired = () => badRequest('The body must be an object with the API key as its key.');
