import { caseFold, codePointLength } from './text.ts'

declare const canonical: unique symbol

/** A username in canonical form, which only `canonicalUsername` answers. */
export type Username = string & { readonly [canonical]: true }

const maxLength = 64
// Longer input is refused before it is normalized: NFKC can expand one code point to eighteen.
const maxInputUnits = 256
// Control, format (zero-width and bidi marks), surrogate, private-use and unassigned code points;
// line and paragraph separators; the colon, which RFC 7617 section 2 reserves.
const refused = /[\p{C}\p{Zl}\p{Zp}:]/u
const unaddressable = new Set(['', '.', '..'])

/**
 * The form in which usernames are stored, compared, throttled and shown: NFKC, case-folded, trimmed.
 * Null if no account can have the name: it is empty, longer than 64 code points, holds control or
 * zero-width characters, lone surrogates or a colon, or is `.` or `..`, which no path can address.
 */
export function canonicalUsername(text: string): Username | null {
  if (text.length > maxInputUnits || refused.test(text)) return null
  const name = caseFold(text.normalize('NFKD')).normalize('NFKC').trim()
  if (unaddressable.has(name) || refused.test(name) || codePointLength(name) > maxLength)
    return null
  return name as Username // the brand: all checks of the form are above
}
