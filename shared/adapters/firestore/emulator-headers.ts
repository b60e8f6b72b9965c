/** The emulator accepts this header instead of an administrator's credentials. */
export const EMULATOR_HEADERS = { authorization: 'Bearer owner' } as const;
