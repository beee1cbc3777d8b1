import assert from 'node:assert/strict'
import type { Headers, Someone, TestApp } from './app.ts'
import { confirmationsOf } from './confirmations.ts'
import { verifyAddress } from './mail.ts'

export const week = 7 * 86_400

/** What tests of the deletion by the owner do. */
export async function deletions(app: TestApp) {
  const confirmations = await confirmationsOf(app)
  let made = 0

  const helpers = {
    confirmations,

    /** An account with a verified address. */
    async someone(roles: readonly string[] = ['USER']): Promise<Someone> {
      made += 1
      const who = await app.account(`leaver-${made}`, roles as ['USER'])
      await verifyAddress(app, who, `${who.username}@example.org`)
      return who
    },

    ask: (who: Someone, headers: Headers = app.basic(who), more: object = {}) =>
      app.call('DELETE', '/api/account', { headers, json: { username: who.username, ...more } }),

    /** Asks for the deletion of an account, which must succeed; answers the token of the link. */
    async leave(who: Someone, headers?: Headers, more?: object): Promise<string> {
      const answer = await helpers.ask(who, headers, more)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.body.message, 'Account deletion requested')
      return helpers.link(who)
    },

    async leaver(): Promise<{ who: Someone; token: string }> {
      const who = await helpers.someone()
      return { who, token: await helpers.leave(who) }
    },

    /** The token of the newest link that takes the deletion back. */
    async link({ userId }: Pick<Someone, 'userId'>, message = 'deletion_requested') {
      const row = await app.deps.db
        .selectFrom('mails')
        .select('confirmation')
        .where('user_id', '=', userId)
        .where('message', '=', message)
        .where('state', '=', 'waiting')
        .orderBy('created_at', 'desc')
        .executeTakeFirstOrThrow()
      return (await confirmations.mailed(row.confirmation ?? '')).token
    },

    back: (token: string, new_password: string | undefined, more: object = {}, from?: string) =>
      app.call('POST', '/api/public/reset/complete', {
        json: { token, new_password, ...more },
        ...(from !== undefined && { from }),
      }),

    logIn: ({ username }: Pick<Someone, 'username'>, password: string, more: object = {}) =>
      app.call('POST', '/login', { json: { username, password, mode: 'token', ...more } }),

    /** As ADMIN sees it; undefined if it is gone. */
    async seen({ username }: Pick<Someone, 'username'>) {
      const headers = app.basic(app.admin)
      const { status, body } = await app.call('GET', `/api/admin/accounts/${username}`, { headers })
      return status === 200 ? body : undefined
    },

    async isUser({ userId }: Pick<Someone, 'userId'>): Promise<boolean> {
      const headers = app.basic(app.admin)
      return (await app.call('GET', `/users/${userId}`, { headers })).status === 200
    },

    /** Lets time pass, in seconds, in which all mail is sent. */
    async pass(seconds: number): Promise<void> {
      const now = app.clock.now()
      await app.deps.db
        .updateTable('mails')
        .set({ state: 'sent', sealed: null, finished_at: now })
        .where('state', '=', 'waiting')
        .execute()
      app.clock.advance(seconds)
    },

    /** Runs the job that erases what is due. */
    erase: (node: Pick<TestApp, 'app'> = app) =>
      node.app.jobs.find(({ name }) => name === 'account deletions')?.run(),
  }
  return helpers
}
