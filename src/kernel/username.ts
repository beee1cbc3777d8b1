declare const canonical: unique symbol

/** A username in canonical form; only `canonicalUsername` makes one. */
export type Username = string & { readonly [canonical]: true }

const maxLength = 64
// Longer input is refused before it is normalized: NFKC can expand one code point to eighteen.
const maxInputUnits = 256
// Control, format (zero-width and bidi marks), surrogate, private-use and unassigned code points;
// line and paragraph separators; the colon, which RFC 7617 section 2 reserves.
const refused = /[\p{C}\p{Zl}\p{Zp}:]/u

/**
 * The form in which usernames are stored, compared, throttled and shown: NFKC, case-folded, trimmed.
 * Null where no account can have the name: empty, longer than 64 code points, or holding control
 * or zero-width characters, lone surrogates or a colon.
 */
export function canonicalUsername(text: string): Username | null {
  if (text.length > maxInputUnits || refused.test(text)) return null
  const name = caseFold(text.normalize('NFKD')).normalize('NFKC').trim()
  if (name === '' || refused.test(name) || codePointLength(name) > maxLength) return null
  return name as Username // the brand: every check of the form stands above
}

/**
 * Text for comparison without regard to case. Lower case of upper case, so that characters that
 * share an upper case (final sigma, sharp s) meet; the dotless i alone stays itself, as in
 * Unicode's own case folding.
 */
export function caseFold(text: string): string {
  let folded = ''
  for (const character of text) {
    folded += character === 'ı' ? character : lower(character)
  }
  return folded
}

/** Down, up and down again: the capital sharp s goes down to one that goes up to two letters. */
function lower(character: string): string {
  return character.toLowerCase().toUpperCase().toLowerCase()
}

/** How many Unicode code points a text has; every length of the contract counts these. */
export function codePointLength(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}
