/** The emulator takes this in place of an administrator's credentials. */
export const EMULATOR_HEADERS = { authorization: 'Bearer owner' } as const;
