import type pino from 'pino'

// DEL, C1 controls, bidi and zero-width marks, line and paragraph separators: JSON leaves them
// unescaped, and terminals may obey them.
const steering = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Escapes characters that could steer a terminal or forge a line; JSON escapes those below U+0020.
 * The JSON value is unchanged.
 */
export function escapedLine(line: string): string {
  return line.replace(steering, escaped)
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

export function escaping(destination: pino.DestinationStream): pino.DestinationStream {
  return { write: (line) => destination.write(escapedLine(line)) }
}
