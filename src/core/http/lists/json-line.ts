/** Control, bidirectional and line separator characters can manipulate a terminal. */
export const steering = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** One line of JSON with such characters escaped. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value).replace(steering, (character) =>
    // Two escapes above U+FFFF.
    Array.from({ length: character.length }, (_, index) =>
      escapeOf(character.charCodeAt(index)),
    ).join(''),
  )
  return `${text}\n`
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
