import type { AccountPart } from './part.ts'

/** The parts of all features. */
export const parts = Object.values(
  import.meta.glob<AccountPart>('../*/account-part.ts', { eager: true, import: 'accountPart' }),
)

/** The links of all parts, in their order. */
export const links = parts
  .flatMap((part) => part.links)
  .toSorted((one, other) => one.order - other.order)
