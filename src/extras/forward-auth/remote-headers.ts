/** What an application behind a proxy is told of its caller. */
export interface Remote {
  readonly user: string
  /** The roles, with commas between them. */
  readonly groups: string
  /** The verified address; null if there is none. */
  readonly email: string | null
}

// Printable ASCII without `%`, and no space at either end, which a parser would remove.
const plain = /^(?! )[\x20-\x24\x26-\x7e]*(?<! )$/

/** Makes the values of the headers Remote-User, Remote-Groups and Remote-Email. */
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
 * The text as the value of a header. Each byte of UTF-8 that is no printable ASCII, each `%` and a
 * space at either end is percent-encoded, so that two texts never have the same value. RFC 3986
 * section 2.1.
 */
export function headerText(text: string): string {
  if (plain.test(text)) return text
  return text.replace(/^ | $|[^\x20-\x24\x26-\x7e]/gu, encoded)
}

function encoded(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('')
}
