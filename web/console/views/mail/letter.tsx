import { useEffect, useRef } from 'preact/hooks'

/**
 * A mail as a mail program shows it, within the policy of the page, which allows no style in HTML: its
 * elements are built anew, and their styles set by script, in a tree of their own. Of the HTML only
 * elements that the messages of the service use are taken, and no address: a link of it leads nowhere.
 */
export function Letter({ html }: { readonly html: string }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const host = place.current
    if (!host) return
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
    const [, style = ''] = styleElement.exec(html) ?? []
    const letter = new DOMParser().parseFromString(withoutStyle(html), 'text/html')
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style)
    root.adoptedStyleSheets = [sheet]
    root.replaceChildren(copyOf(letter.body))
  }, [html])
  return <div class="letter" ref={place} />
}

const styleElement = /<style>(.*?)<\/style>/s
const styleName = 'data-letter-style'

/** Takes the style out of what is parsed: the policy of the page counts for a parser's document too. */
function withoutStyle(html: string): string {
  return html.replace(styleElement, '').replaceAll(/ style="/g, ` ${styleName}="`)
}

const taken = new Set(['A', 'DIV', 'P', 'SPAN', 'TABLE', 'TBODY', 'TD', 'TR'])
const attributes = ['align', 'border', 'cellpadding', 'cellspacing', 'class', 'role', 'width']

function copyOf(element: Element): HTMLElement {
  const copy = document.createElement(taken.has(element.tagName) ? element.tagName : 'div')
  for (const name of attributes) {
    const value = element.getAttribute(name)
    if (value !== null) copy.setAttribute(name, value)
  }
  copy.style.cssText = element.getAttribute(styleName) ?? ''
  for (const node of element.childNodes) {
    if (node instanceof Element) copy.append(copyOf(node))
    else if (node instanceof Text) copy.append(node.data)
  }
  return copy
}
