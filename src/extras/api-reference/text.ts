import { type Html, html } from '../../core/http/pages/html.ts'

/** A text of the document in one line: what stands between backticks is code, between `**` strong. */
export function prose(text = ''): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : strong(part)))}`
}

function strong(text: string): Html {
  const parts = text.split('**')
  if (parts.length % 2 === 0) return html`${text}` // one of them has no end
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<strong>${part}</strong>` : part))}`
}

/** A longer text of the document: blank lines part its paragraphs and its lists of `- ` lines. */
export function blocks(text: string): Html {
  return html`${text.split(/\n{2,}/).map((block) => {
    const items = block.split(/^- /m)
    if (!block.startsWith('- ')) return html`<p>${prose(block)}</p>\n`
    return html`<ul>${items.slice(1).map((item) => html`<li>${prose(item.trim())}</li>`)}</ul>\n`
  })}`
}
