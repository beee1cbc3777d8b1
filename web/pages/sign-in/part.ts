import { files } from 'found:sign-in-part.tsx'
import type { FunctionComponent } from 'preact'
import type { SignInLinks } from '../../../src/modules/pages/sign-in/views.ts'

/** How the first page of the sign-in shows the link of a feature: `sign-in-part.tsx` of its folder. */
export interface SignInPart {
  readonly name: keyof SignInLinks
  /** Beside the button, among the other ways to sign in, or at the end of the page. */
  readonly place: 'button' | 'other ways' | 'end'
  readonly Link: FunctionComponent<{ href: string }>
}

const parts = files.map(({ signInPart }) => signInPart)

/** @throws Error if no folder has a part of this name */
export function partOf(name: string): SignInPart {
  const found = parts.find((part) => part.name === name)
  if (!found) throw new Error(`no sign-in-part.tsx shows the link ${name}`)
  return found
}
