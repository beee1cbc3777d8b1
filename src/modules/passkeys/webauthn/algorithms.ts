/** COSE algorithms that registrations offer, in order of preference: EdDSA, ES256, RS256. */
export const algorithms = [-8, -7, -257] as const
export type Algorithm = (typeof algorithms)[number]
