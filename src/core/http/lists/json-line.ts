/** Control and bidirectional characters, and separators of lines: they could steer a terminal. */
export const steering = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A value as one line of JSON in which such characters are escaped; a reader of JSON gets them as they were. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value).replace(steering, (character) =>
    // A character beyond the first 65,536 has two escapes.
    Array.from({ length: character.length }, (_, index) =>
      escapeOf(character.charCodeAt(index)),
    ).join(''),
  )
  return `${text}\n`
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
