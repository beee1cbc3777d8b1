import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Config } from '../../core/config/load.ts'
import { ApiError } from '../../core/errors.ts'
import { contentTypes } from '../../core/http/media-types.ts'
import { type Content, type Html, html } from '../../core/http/pages/html.ts'
import { type Page, sendPage } from '../../core/http/pages/page.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { type ReadMail, readMail } from './mail-text.ts'
import { mailFiles, mailFolder } from './transport.ts'

const shown = 50

function hasDevelopmentMail({
  environment,
  http,
  mail,
}: Pick<Config, 'environment' | 'http' | 'mail'>) {
  return environment === 'development' && mail.server === undefined && isLoopback(http.host)
}

/**
 * GET /dev/mail: the development mail. Only in development, without a mail server, on a loopback
 * address, for unproxied requests of this machine: mail contains sign-in links.
 */
export async function routes(app: FastifyInstance, { config }: Needs): Promise<void> {
  if (!hasDevelopmentMail(config)) return
  const folder = mailFolder(config)
  const options = { config: { access: { rule: anyone } }, schema: { hide: true } }

  app.get('/dev/mail', options, async (request, reply) => {
    assertFromHere(request)
    const [newest] = await mailsOf(folder)
    return sendPage(reply, await mailbox(newest?.file ?? null))
  })

  app.get('/dev/mail/:file', options, async (request, reply) => {
    assertFromHere(request)
    return sendPage(reply, await mailbox(await knownFile(request)))
  })

  app.get('/dev/mail/:file/html', options, async (request, reply) => {
    assertFromHere(request)
    const { html: shownHtml, text } = readMail(await contentOf(await knownFile(request)))
    return reply
      .headers(ofFrame)
      .serializer(String)
      .send((shownHtml ?? plainPage(text)).replace('<head>', '<head><base target="_top">'))
  })

  async function mailbox(open: string | null): Promise<Page> {
    const mails = await mailsOf(folder)
    const mail = open === null ? null : { file: open, ...readMail(await contentOf(open)) }
    const list = mails.map(
      ({
        file,
        headers,
      }) => html`<li><a href="/dev/mail/${file}"${file === open && html` aria-current="true"`}>
<b>${headerOf(headers, 'Subject')}</b><span>${headerOf(headers, 'To')}</span>
<span class="muted">${headerOf(headers, 'Date')}</span></a></li>
`,
    )
    const title = mail ? headerOf(mail.headers, 'Subject') : 'Development mail'
    return {
      title,
      isWide: true,
      main: html`<h1>Development mail</h1>
<p class="muted">Without a mail server (SMTP_URL) mail is written to ${folder}. Only browsers on this machine see the last ${shown}.</p>
${
  list.length === 0
    ? html`<p>There is none yet.</p>`
    : html`<div class="mailbox"><nav aria-label="All mail"><ul>
${list}</ul></nav>
${mail && opened(mail)}</div>`
}`,
    }
  }

  function mailsOf(folder: string) {
    return mailFiles(folder).then((files) =>
      Promise.all(
        files.slice(0, shown).map(async (file) => ({ file, ...readMail(await contentOf(file)) })),
      ),
    )
  }

  /** @throws ApiError routeNotFound for an unknown file */
  async function knownFile({ params }: FastifyRequest): Promise<string> {
    const { file } = params as { file: string }
    if (!(await mailFiles(folder)).includes(file)) throw notThere()
    return file
  }

  function contentOf(file: string): Promise<string> {
    return readFile(join(folder, file), 'utf8')
  }
}

/**
 * Mail has styles in its HTML, and is shown in a frame of /dev/mail alone: no scripts, nothing from
 * elsewhere, and links open in the window.
 */
const ofFrame = {
  'content-security-policy':
    "sandbox allow-top-navigation-by-user-activation; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
  'content-type': contentTypes.html,
}

function plainPage(text: string): string {
  return html`<!doctype html><html lang="en"><head><title>Mail</title></head><body><pre>${text}</pre></body></html>`.toString()
}

function opened({ file, headers, text }: ReadMail & { readonly file: string }): Html {
  const line = (name: string) => html`<dt>${name}</dt><dd>${headerOf(headers, name)}</dd>
`
  return html`<article>
<h2>${headerOf(headers, 'Subject')}</h2>
<dl>
${['From', 'To', 'Date'].map(line)}</dl>
<iframe src="/dev/mail/${file}/html" title="The mail" sandbox="allow-top-navigation-by-user-activation"></iframe>
<details><summary>As text</summary><pre>${linked(text)}</pre></details>
<details><summary>All headers</summary><dl>
${headers.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl></details>
</article>`
}

const ofProxies = /^(?:forwarded|via|x-real-ip|x-client-ip|x-forwarded-.+)$/

/**
 * DNS rebinding shows in Host; a proxy sends forwarding headers, or HTTP/1.0 as nginx does by
 * default.
 */
function assertFromHere({ headers, raw }: FastifyRequest): void {
  const host = URL.parse(`http://${headers.host}`)?.hostname ?? ''
  const isFromHere =
    isLoopback((raw.socket.remoteAddress ?? '').replace(/^::ffff:/, '')) &&
    isLoopback(host) &&
    raw.httpVersion !== '1.0' &&
    !Object.keys(headers).some((name) => ofProxies.test(name))
  if (!isFromHere) throw notThere()
}

function notThere(): ApiError {
  return new ApiError('routeNotFound', { reason: { code: 'unknown_route' } })
}

function headerOf(headers: readonly (readonly [string, string])[], wanted: string): string {
  return headers.find(([name]) => name === wanted)?.[1] ?? ''
}

function linked(text: string): Html {
  const pieces: Content[] = text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((piece, index) => (index % 2 === 1 ? html`<a href="${piece}">${piece}</a>` : piece))
  return html`${pieces}`
}
