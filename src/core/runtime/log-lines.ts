import type pino from 'pino'

// DEL and the controls of C1, marks of direction and of no width, separators of lines and of
// paragraphs: JSON leaves them as they are, and a terminal or a reader of lines may obey them.
const steering = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Escapes, in a line of JSON, the characters that could steer a terminal or forge another line; JSON
 * itself has escaped the controls below U+0020. The value stays the same.
 */
export function escapedLine(line: string): string {
  return line.replace(steering, escaped)
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Makes a destination whose lines are escaped. */
export function escaping(destination: pino.DestinationStream): pino.DestinationStream {
  return { write: (line) => destination.write(escapedLine(line)) }
}
