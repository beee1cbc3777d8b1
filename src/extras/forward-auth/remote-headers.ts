export interface Remote {
  readonly user: string
  /** Roles, comma-separated. */
  readonly groups: string
  /** Verified. */
  readonly email: string | null
}

export function remoteOf(
  username: string,
  roles: Iterable<string>,
  email: string | null | undefined,
): Remote {
  return {
    user: headerText(username),
    groups: headerText([...roles].join(',')),
    email: email ? headerText(email) : null,
  }
}

/**
 * Percent-encodes each UTF-8 byte that is not printable ASCII, `%`, and a space at either end, which
 * parsers remove, so that different texts never share a value. RFC 3986 section 2.1.
 */
export function headerText(text: string): string {
  return text.replace(/^ | $|[^\x20-\x24\x26-\x7e]/gu, encoded)
}

function encoded(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('')
}
