import { type Html, html } from '../../core/http/pages/html.ts'

/** Renders backticks as code and `**` as strong. */
export function prose(text = ''): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : strong(part)))}`
}

function strong(text: string): Html {
  const parts = text.split('**')
  if (parts.length % 2 === 0) return html`${text}` // unbalanced markers
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<strong>${part}</strong>` : part))}`
}

/** Blank lines separate paragraphs and `- ` lists. */
export function blocks(text: string): Html {
  return html`${text.split(/\n{2,}/).map((block) => {
    const items = block.split(/^- /m)
    if (!block.startsWith('- ')) return html`<p>${prose(block)}</p>\n`
    return html`<ul>${items.slice(1).map((item) => html`<li>${prose(item.trim())}</li>`)}</ul>\n`
  })}`
}
