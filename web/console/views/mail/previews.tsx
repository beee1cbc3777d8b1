import { useEffect, useRef } from 'preact/hooks'
import { languages } from '../../../../src/core/lib/languages.ts'
import { useLanguage } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import type { operations } from '../../api/openapi.d.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { mailTexts } from './texts.ts'

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

type Query = NonNullable<operations['previewMail']['parameters']['query']>

const forms = ['html', 'text'] as const

/** How each message reads, with made-up facts: in both languages, as HTML and as text. */
export function Previews() {
  const t = mailTexts.use()
  const own = useLanguage()
  const { fields, change } = useAddress()
  const list = useLoad('', (signal) => dataOf(api.GET('/api/admin/mail/previews', { signal })))
  const { message = '', language = own, form = 'html' } = fields
  return (
    <>
      <p class="muted">{t.previewHint}</p>
      <Loaded from={list}>
        {({ data }) => {
          const id = message || (data[0]?.id ?? '')
          return (
            <>
              <div class="filters preview-filters">
                <div class="field">
                  <label for="preview-message">{t.fields.message}</label>
                  <select
                    id="preview-message"
                    value={id}
                    onChange={({ currentTarget }) => change({ message: currentTarget.value })}
                  >
                    {data.map((one) => (
                      <option key={one.id} value={one.id}>
                        {nameOf(one)}
                      </option>
                    ))}
                  </select>
                </div>
                <Choice
                  label={t.language}
                  name="language"
                  value={language}
                  options={languages.map((one) => [one, t.languages[one]])}
                  onChoose={(wanted) => change({ language: wanted })}
                />
                <Choice
                  label={t.form}
                  name="form"
                  value={form}
                  options={forms.map((one) => [one, t.forms[one]])}
                  onChoose={(wanted) => change({ form: wanted })}
                />
              </div>
              <Preview id={id} language={language} isText={form === 'text'} />
            </>
          )
        }}
      </Loaded>
    </>
  )

  function nameOf({ id, message: name }: { id: string; message: keyof typeof t.messages }): string {
    const extra = id.slice(name.length + 1)
    return extra === '' ? t.messages[name] : `${t.messages[name]}: ${t.cases[extra] ?? extra}`
  }
}

interface PreviewProps {
  readonly id: string
  readonly language: string
  readonly isText: boolean
}

function Preview({ id, language, isText }: PreviewProps) {
  const t = mailTexts.use()
  const preview = useLoad(JSON.stringify([id, language]), (signal) => {
    // What the address has may be anything: the API refuses what it does not know.
    const query = { language } as Query
    const params = { path: { id }, query }
    return dataOf(api.GET('/api/admin/mail/previews/{id}', { params, signal }))
  })
  return (
    <Loaded from={preview}>
      {(mail) => (
        <article class="preview" lang={mail.language} aria-label={mail.subject}>
          <p>
            <span class="muted">{t.subject}:</span> <strong>{mail.subject}</strong>
          </p>
          {isText ? <pre>{mail.text}</pre> : <Letter html={mail.html} />}
        </article>
      )}
    </Loaded>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly name: string
  readonly value: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly onChoose: (value: string) => void
}

function Choice({ label, name, value, options, onChoose }: ChoiceProps) {
  return (
    <div class="field">
      <label for={`preview-${name}`}>{label}</label>
      <select
        id={`preview-${name}`}
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
