import type { Content } from '../../../core/http/pages/html.ts'
import { html } from '../../../core/http/pages/html.ts'
import type { Language } from '../../../core/lib/languages.ts'
import { de } from '../languages/de.ts'
import { en, type Texts } from '../languages/en.ts'
import type { Render } from '../message-types.ts'
import type { Letter } from './letter.ts'
import { type Part, plainName, toText } from './letter.ts'
import { letterOfNotice } from './notices.ts'
import { letterOfRequest } from './requests.ts'
import type { Writing } from './writing.ts'

// Mail programs support tables and `style` attributes; the style sheet only adds the dark scheme.
// No remote content.
const dark = `@media (prefers-color-scheme: dark) {
  .page { background: #16181d !important; }
  .card { background: #22252c !important; border-color: #3a3f4b !important; }
  .text { color: #e8eaed !important; }
  .soft { color: #b4b9c2 !important; }
  .link { color: #8ab4f8 !important; }
  .button { background: #8ab4f8 !important; }
  .press { color: #16181d !important; }
  .code { background: #16181d !important; color: #ffffff !important; }
}`

const font = 'font-family:system-ui,Roboto,Helvetica,Arial,sans-serif'
const text = `margin:0 0 16px;${font};font-size:16px;line-height:24px;color:#1d2129`
const soft = `${font};font-size:14px;line-height:21px;color:#59616e`
const link = 'color:#1a5fb4;word-break:break-all'
const press =
  'display:inline-block;padding:12px 24px;font-weight:600;color:#ffffff;text-decoration:none'
const code =
  'display:inline-block;padding:12px 20px;background:#f1f3f6;border-radius:6px;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:26px;letter-spacing:2px;color:#1d2129'

/** One table, inline style, no pictures, no remote content. @param language BCP 47 */
export function toHtml({ from, subject, parts, footer }: Letter, language: string): string {
  const first = parts.find((part, index) => index > 0 && typeof part === 'string')
  return html`<!doctype html>
<html lang="${language}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>
${dark}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f5f7">
<div style="display:none;max-height:0;overflow:hidden">${first as string | undefined}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f4f5f7">
<tr><td align="center" style="padding:24px 12px">
<p class="text" style="max-width:560px;margin:0 auto 16px;${font};font-size:18px;font-weight:600;color:#1d2129">${from}</p>
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;background:#ffffff;border:1px solid #dfe2e7;border-radius:8px">
<tr><td style="padding:32px 28px 16px">
${parts.map((part) => [shown(part), '\n'])}</td></tr>
</table>
<p class="soft" style="max-width:560px;margin:16px auto 0;${soft}">${footer}</p>
</td></tr>
</table>
</body>
</html>
`.toString()
}

function shown(part: Part): Content {
  if (typeof part === 'string') return html`<p class="text" style="${text}">${part}</p>`
  if (part.kind === 'link') return written(part.url)
  if (part.kind === 'code')
    return html`<p class="text" style="${text}"><span class="code" style="${code}">${part.code}</span></p>`
  if (part.kind === 'button') {
    const { label, url, hint } = part
    return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px"><tr><td class="button" style="background:#1a5fb4;border-radius:6px"><a class="press" href="${webAddress(url)}" style="${press};${font};font-size:16px">${label}</a></td></tr></table>
<p class="soft" style="margin:0 0 4px;${soft}">${hint}</p>
${written(url)}`
  }
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px">
${part.rows.map(
  ([label, value]) =>
    html`<tr><td class="soft" style="padding:0 16px 4px 0;${soft};vertical-align:top">${label}</td><td class="text" style="padding:0 0 4px;${soft};color:#1d2129">${value}</td></tr>
`,
)}</table>`
}

function written(url: string): Content {
  return html`<p class="text" style="${text}"><a class="link" href="${webAddress(url)}" style="${link}">${url}</a></p>`
}

/** @throws Error for other schemes such as `javascript:` */
function webAddress(url: string): string {
  if (!/^https?:\/\//.test(url)) throw new Error('a mail links to the web alone')
  return url
}

const languages: Record<Language, Texts> = { en, de }

/**
 * Renders subject, text and HTML, and sanitizes all names. No secret in the subject: lock screens
 * show subjects.
 */
export const render: Render = (message, facts, language, context) => {
  const texts = languages[language]
  const name = plainName(context.name)
  const writing: Writing = {
    texts,
    language,
    name,
    context,
    page: (path) => `${context.baseUrl}${path}`,
    letter: (subject, parts) => ({
      from: name,
      subject,
      parts: parts.filter((part): part is Part => part !== null && part !== ''),
      footer: texts.footer(name, context.baseUrl),
    }),
  }
  const letter = letterOfNotice(writing, message, facts) ?? letterOfRequest(writing, message, facts)
  return { subject: letter.subject, text: toText(letter), html: toHtml(letter, language) }
}
