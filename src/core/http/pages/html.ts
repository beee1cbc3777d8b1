/** A piece of HTML: made by `html` alone, so that no text gets into a page without being escaped. */
export class Html {
  readonly #text: string
  constructor(strings: readonly string[], values: readonly Content[]) {
    this.#text = strings
      .map((string, index) => string + (index < values.length ? render(values[index]) : ''))
      .join('')
  }
  toString(): string {
    return this.#text
  }
}

/** What a page may hold: a text is escaped, a list is joined, and `false` and null are nothing. */
export type Content = string | number | Html | readonly Content[] | false | null | undefined

/** Makes a piece of HTML. Its values are escaped for content and for quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(strings, values)
}

function render(value: Content): string {
  if (value === false || value === null || value === undefined) return ''
  if (value instanceof Html) return value.toString()
  if (Array.isArray(value)) return value.map(render).join('')
  return escaped(String(value))
}

/** Escapes a text for the content of an HTML element or a quoted attribute. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
