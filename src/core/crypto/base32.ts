const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** In any case, with or without padding and blanks; undefined for other characters. */
export function fromBase32(text: string): Buffer | undefined {
  const bare = text.replace(/\s/g, '').toUpperCase()
  const [characters = ''] = /^[A-Z2-7]*/.exec(bare) ?? []
  if (!/^=*$/.test(bare.slice(characters.length))) return undefined
  const bytes: number[] = []
  let bits = 0
  let held = 0
  for (const character of characters) {
    held = (held << 5) | alphabet.indexOf(character)
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((held >> bits) & 255)
      held &= (1 << bits) - 1
    }
  }
  return Buffer.from(bytes)
}

/** RFC 4648 section 6, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31]
}
