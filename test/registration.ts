import { type Answer, passwordOf, type TestApp } from './app.ts'
import { confirmationsOf } from './confirmations.ts'
import { mailRows } from './mail.ts'
import { navigation, testBrowser } from './test-browser.ts'

/** What a new owner chooses, whose password fits the rules. */
export function profileOf(username: string) {
  return { username, name: 'Ann Example', password: passwordOf(username) }
}

/** What the mails of a service say: for tests of sign-up and invitations. */
export async function mailboxOf(app: TestApp) {
  const confirmations = await confirmationsOf(app)
  return {
    confirmations,
    /** Link and code of the newest mail that will be sent, and its message. */
    async newest() {
      const sent = (await mailRows(app)).filter(({ state }) => state === 'waiting')
      const times = Math.max(...sent.map(({ created_at }) => created_at))
      const row = sent.find(({ created_at }) => created_at === times)
      if (!row) throw new Error('no mail is waiting')
      const secrets =
        row.confirmation && (await confirmations.secretsOf(row.confirmation, row.flow))
      return { ...row, ...(secrets || { token: '', code: '' }) }
    },
    /** Messages and states of all rows, in their order. */
    async states() {
      return (await mailRows(app)).map(({ message, state }) => `${message} ${state}`)
    },
    /** What the mail of an invitation says. */
    async invitation(id: number) {
      const { confirmation } = await app.deps.db
        .selectFrom('invitations')
        .select('confirmation')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return confirmations.mailed(confirmation)
    },
    /** Goes on to when the same address may get another mail. */
    later: () => app.clock.advance(61),
  }
}

/** Begins a sign-up as a program does; answers token, id and code. */
export async function begunSignUp(
  app: TestApp,
  mailbox: Awaited<ReturnType<typeof mailboxOf>>,
  email: string,
  more: { language?: string } = {},
) {
  app.clock.advance(61)
  const json = { email, ...more }
  const { status, body } = await app.call('POST', '/api/public/sign-up', { json })
  if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`)
  return { ...(await mailbox.confirmations.mailed(body.id)), id: body.id as string }
}

/** Invites as the first administrator; answers the invitation and the token of its mail. */
export async function invited(
  app: TestApp,
  mailbox: Awaited<ReturnType<typeof mailboxOf>>,
  wanted: { email: string; roles: readonly string[]; name?: string; language?: string },
  headers?: Record<string, string>,
) {
  app.clock.advance(61)
  const by = headers ?? (await app.bearer(app.admin))
  const { status, body } = await app.call('POST', '/api/admin/invitations', {
    headers: by,
    json: wanted,
  })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return { ...body, ...(await mailbox.invitation(body.id)) }
}

type Form = Record<string, string>

/** The same as the fields of a form. */
export function profileFields(username: string): Form {
  const { name, password } = profileOf(username)
  return { username, name, new_password: password, new_password_again: password }
}

/** A browser that opens pages and sends their first form. */
export function person(app: TestApp) {
  const browser = testBrowser(app, navigation)
  let page: Answer
  const formOf = ({ text }: Answer) => {
    const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(text) ?? []
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]+)"/.exec(text) ?? []
    return { action: action.replaceAll('&amp;', '&'), csrf_token }
  }
  return {
    browser,
    get page() {
      return page
    },
    async open(path: string) {
      page = await browser.open(`${app.deps.config.baseUrl}${path}`)
      return page
    },
    /** Sends the form; follows a redirect to a page of this service. */
    async send(fields: Form, headers: Form = {}): Promise<Answer> {
      const { action, csrf_token } = formOf(page)
      const form = { csrf_token, ...fields }
      const sent = { form, headers: { 'sec-fetch-site': 'same-origin', ...headers } }
      const answer = await browser.call('POST', action, sent)
      const { location } = answer.headers
      const isOwn = typeof location === 'string' && /^\/sign(up|in)\b/.test(location)
      if (answer.status === 303 && isOwn) return this.open(location)
      if (answer.status !== 303) page = answer
      return answer
    },
    form: () => formOf(page),
  }
}
