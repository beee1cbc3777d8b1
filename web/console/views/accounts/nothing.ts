import { filterNames } from './read-accounts.ts'

/** Takes search, filters and place out of the address. */
export const nothing: Readonly<Record<string, string>> = Object.fromEntries(
  [...filterNames, 'cursor'].map((name) => [name, '']),
)
