// $pbkdf2-sha256$i=600000$salt$hash, or passlib's bare number of rounds.
export const pbkdf2Format =
  /^\$pbkdf2-(sha1|sha256|sha512)\$(?:i=)?([1-9][0-9]{0,8})(?:,l=[0-9]+)?\$([A-Za-z0-9+/._-]+=*)\$([A-Za-z0-9+/._-]+=*)$/

/** Base64, base64url, or passlib's variant (dot for plus). */
export function decode(text: string): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64')
}
