/** A part of a letter. The text of a mail is written from the parts, and its HTML from the same. */
export type Part =
  | string
  | { readonly kind: 'button'; readonly label: string; readonly url: string; readonly hint: string }
  | { readonly kind: 'link'; readonly url: string }
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [label: string, value: string])[] }

/** A message in words, before it is text or HTML. */
export interface Letter {
  /** The name of the service, which stands above the HTML; the text ends with it. */
  readonly from: string
  readonly subject: string
  readonly parts: readonly Part[]
  readonly footer: string
}

const maxNameLength = 64
const columns = 76

/**
 * Makes a name harmless in a line of a mail: one line, without characters that are invisible or turn
 * the direction of writing, at most 64 code points. HTML is escaped where it is made.
 */
export function plainName(name: string): string {
  const line = name
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  const points = [...line]
  return points.length > maxNameLength ? `${points.slice(0, maxNameLength - 1).join('')}…` : line
}

/** Groups a code for the eye, `1234 5678`; the pages take it with the space. */
export function groupedCode(code: string): string {
  return code.replace(/(.{4})(?=.)/g, '$1 ')
}

/** Writes the text of a letter, in lines of at most 76 columns but for addresses. */
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
