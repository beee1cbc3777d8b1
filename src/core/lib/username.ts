import { caseFold, codePointLength } from './text.ts'

declare const canonical: unique symbol

/** Only `canonicalUsername` creates this type. */
export type Username = string & { readonly [canonical]: true }

const maxLength = 64
// NFKC expands one code point to up to eighteen.
const maxInputUnits = 256
// Control, format (zero-width, bidi), surrogate, private-use and unassigned code points; line and
// paragraph separators; the colon (RFC 7617 section 2).
const refused = /[\p{C}\p{Zl}\p{Zp}:]/u
const unaddressable = new Set(['', '.', '..'])

/**
 * NFKC, case-folded, trimmed. Null for invalid names: empty, over 64 code points, forbidden
 * characters, `.` or `..`, which no path can address.
 */
export function canonicalUsername(text: string): Username | null {
  if (text.length > maxInputUnits || refused.test(text)) return null
  const name = caseFold(text.normalize('NFKD')).normalize('NFKC').trim()
  if (unaddressable.has(name) || refused.test(name) || codePointLength(name) > maxLength)
    return null
  return name as Username // brand: validated above
}
