/** The methods that routes use, in the order in which `Allow` names them. */
export const ACCEPTED_METHODS = ['GET', 'POST', 'DELETE'] as const;
export type Method = (typeof ACCEPTED_METHODS)[number];
