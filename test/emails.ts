import assert from 'node:assert/strict'
import type { Headers, Someone, TestApp } from './app.ts'
import { confirmationsOf } from './confirmations.ts'
import { mailRows } from './mail.ts'
import { proofOf } from './proofs.ts'

/** What tests of verified addresses do, as the owner of an account does it by the API. */
export async function mailboxes(app: TestApp) {
  const confirmations = await confirmationsOf(app)

  const helpers = {
    confirmations,

    /** Asks for a proof of an address; answers the id of the confirmation. */
    async ask(headers: Headers, email: string, password?: string, totp?: string): Promise<string> {
      const proof = password === undefined ? await proofOf(app, headers) : undefined
      const json = { email, ...(proof ?? { current_password: password }), totp }
      const answer = await app.call('PUT', '/api/account/email', { headers, json })
      assert.equal(answer.status, 202, answer.text)
      return answer.body.id
    },

    confirm: (json: object) => app.call('POST', '/api/public/verification', { json }),

    /** The token of the link that is mailed for a confirmation. */
    token: async (id: string): Promise<string> => (await confirmations.mailed(id)).token,

    /** The tokens of the mails that tell an account of a change of its address, from one on. */
    async waysBack({ userId }: Pick<Someone, 'userId'>, from = 0): Promise<string[]> {
      const rows = (await mailRows(app))
        .filter(({ message, user_id }) => message === 'email_changed' && user_id === userId)
        .slice(from)
      return Promise.all(rows.map(({ confirmation }) => helpers.token(confirmation ?? '')))
    },

    /** Verifies an address, or changes to it, by the link. */
    async verify(headers: Headers, email: string, password?: string): Promise<void> {
      const answer = await helpers.confirm({
        token: await helpers.token(await helpers.ask(headers, email, password)),
      })
      assert.equal(answer.status, 200, answer.text)
    },

    async emailOf({ username }: Someone) {
      const path = `/api/admin/accounts/${username}/email`
      return (await app.call('GET', path, { headers: app.basic(app.admin) })).body
    },

    /** The message and the state of all mails since the last call. */
    mails: async () => {
      const rows = await mailRows(app)
      const fresh = rows.filter(({ id }) => !seen.has(id))
      for (const { id } of rows) seen.add(id)
      return fresh.map(({ message, state, user_id }) => ({ message, state, user_id }))
    },
  }
  const seen = new Set<string>()
  return helpers
}
