import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Config } from '../../core/config/load.ts'
import { ApiError } from '../../core/errors.ts'
import { type Content, type Html, html } from '../../core/http/pages/html.ts'
import { sendPage } from '../../core/http/pages/page.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { readMail } from './mail-text.ts'
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
    const files = (await mailFiles(folder)).slice(0, shown)
    const mails = await Promise.all(
      files.map(async (file) => ({ file, ...readMail(await contentOf(file)) })),
    )
    const items = mails.map(
      ({
        file,
        headers,
      }) => html`<li><a href="/dev/mail/${file}">${headerOf(headers, 'Subject')}</a><br>
${headerOf(headers, 'To')}, <span class="muted">${headerOf(headers, 'Date')}</span></li>
`,
    )
    return sendPage(reply, {
      title: 'Mail of development',
      isWide: true,
      main: html`<h1>Mail of development</h1>
<p>There is no mail server (SMTP_URL), so mail is written to ${folder}. The last ${shown} are shown, to
browsers on this machine alone.</p>
${
  items.length === 0
    ? html`<p>There is none yet.</p>`
    : html`<ul>
${items}</ul>`
}`,
    })
  })

  app.get('/dev/mail/:file', options, async (request, reply) => {
    assertFromHere(request)
    const { file } = request.params as { file: string }
    const { headers, text } = readMail(await contentOf(file))
    return sendPage(reply, {
      title: headerOf(headers, 'Subject'),
      isWide: true,
      main: html`<h1>${headerOf(headers, 'Subject')}</h1>
<dl>
${headers.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>
<pre>${linked(text)}</pre>
<p><a href="/dev/mail">All mail</a></p>`,
    })
  })

  /** @throws ApiError routeNotFound for an unknown file */
  async function contentOf(file: string): Promise<string> {
    if (!(await mailFiles(folder)).includes(file)) throw notThere()
    return readFile(join(folder, file), 'utf8')
  }
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
