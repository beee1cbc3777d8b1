import { files } from 'found:account-part.ts'
import type { AccountView } from '../../../src/extras/own-account/pages/views.ts'
import type { AccountLink } from './part.ts'

/** The parts of all features. */
export const parts = files.map(({ accountPart }) => accountPart)

const links = parts.flatMap((part) => part.links).toSorted((one, other) => one.order - other.order)

/** The links of all parts that this person sees, in their order. */
export function shownLinks(view: AccountView): AccountLink[] {
  return links.filter(({ isShown }) => isShown?.(view) ?? true)
}
