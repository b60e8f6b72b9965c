/** The methods that routes use, in the order in which `Allow` names them. */
export const ACCEPTED_METHODS = ['POST', 'DELETE'] as const;
export type Method = (typeof ACCEPTED_METHODS)[number];
