/** The target of a sign-in that names none, or one outside of this service. */
export const home = '/'
const maxLength = 2048
// Neither `//host` nor `/\host`, which browsers read as another host after removing control
// characters.
const localPath = /^\/(?![/\\])[^\\\p{Cc}]*$/u
const encoded = /%(?:09|0a|0d|2f|5c)/i

/** Answers the value if it is a path of this service, otherwise `/`. T86. */
export function parseReturnTo(value: unknown): string {
  if (typeof value !== 'string' || value.length > maxLength || !value.isWellFormed()) return home
  return localPath.test(value) && !encoded.test(value) ? value : home
}
