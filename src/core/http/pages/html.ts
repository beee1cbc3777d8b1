/** Created only by `html`, so that all text is escaped. */
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

/** Texts are escaped, lists joined; `false` and null are empty. */
export type Content = string | number | Html | readonly Content[] | false | null | undefined

/** Escapes values for content and quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(strings, values)
}

function render(value: Content): string {
  if (value === false || value === null || value === undefined) return ''
  if (value instanceof Html) return value.toString()
  if (Array.isArray(value)) return value.map(render).join('')
  return escaped(String(value))
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
