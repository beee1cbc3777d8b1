export type Part =
  | string
  | { readonly kind: 'button'; readonly label: string; readonly url: string; readonly hint: string }
  | { readonly kind: 'link'; readonly url: string }
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [label: string, value: string])[] }

export interface Letter {
  readonly from: string
  readonly subject: string
  readonly parts: readonly Part[]
  readonly footer: string
}

const maxNameLength = 64
const columns = 76

/**
 * Returns one line of at most 64 code points, without invisible and bidirectional control
 * characters. HTML is escaped elsewhere.
 */
export function plainName(name: string): string {
  const line = name
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  const points = [...line]
  return points.length > maxNameLength ? `${points.slice(0, maxNameLength - 1).join('')}…` : line
}

/** Formats as `1234 5678`; pages accept the space. */
export function groupedCode(code: string): string {
  return code.replace(/(.{4})(?=.)/g, '$1 ')
}

/** Wraps at 76 columns, except addresses. */
export function toText({ parts, footer }: Letter): string {
  const blocks = parts.map((part) => {
    if (typeof part === 'string') return wrapped(part)
    if (part.kind === 'button') return `${part.label}:\n${part.url}`
    if (part.kind === 'link') return part.url
    if (part.kind === 'code') return `    ${part.code}`
    return part.rows.map(([label, value]) => `    ${label}: ${value}`).join('\n')
  })
  return `${blocks.join('\n\n')}\n\n-- \n${wrapped(footer)}\n`
}

function wrapped(text: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && [...line].length + 1 + [...word].length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
