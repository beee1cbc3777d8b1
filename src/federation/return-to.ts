/** Where a sign-in lands that names no place, or none of ours. */
export const home = '/'
const maxLength = 2048
// Not `//host` nor `/\host`: browsers take both for another host, and drop control characters first.
const localPath = /^\/(?![/\\])[^\\\p{Cc}]*$/u
const encoded = /%(?:09|0a|0d|2f|5c)/i

/** A path of this service that a browser can go on to; anything else counts as `/`. T86. */
export function parseReturnTo(value: unknown): string {
  if (typeof value !== 'string' || value.length > maxLength || !value.isWellFormed()) return home
  return localPath.test(value) && !encoded.test(value) ? value : home
}
