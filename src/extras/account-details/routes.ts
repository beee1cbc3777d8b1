import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import type { App } from '../../core/http/schemas.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { isLastAdministrator } from '../../modules/accounts/accounts.ts'
import { accountNamed } from '../../modules/accounts/look-up.ts'
import { AccountName } from '../../modules/accounts/schemas.ts'
import { shownWith } from '../../modules/accounts/show-account.ts'
import type { Account } from '../../modules/authentication/account.ts'
import { identityView } from '../../modules/federation/schemas.ts'
import { limitView } from '../../modules/login/throttle-routes.ts'
import { tokenCreated } from '../../modules/tokens/events.ts'
import { accountDetailsSchema } from './schemas.ts'
import { accountFacts } from './store.ts'

const maxTokens = 100

/**
 * GET /api/admin/accounts/{username}/details: credentials, active logins, and login blocks for an
 * administrator.
 */
export async function routes(app: App, options: Needs): Promise<void> {
  const { accounts, clock, config, db, identities, providers } = options
  const { factors, sessions, throttle } = options
  const details = options.accountDetails()
  const AccountDetails = accountDetailsSchema(config.roles, details)
  const show = shownWith(config.roles)
  const named = accountNamed(accounts)

  app.get(
    '/api/admin/accounts/:username/details',
    {
      config: {
        tag: 'Administration of accounts',
        access: { rule: role('ADMIN') },
        resource: named,
      },
      schema: {
        operationId: 'getAccountDetails',
        summary:
          'All that belongs to an account: what signs in, what is live, what refuses a login',
        params: AccountName,
        response: { 200: AccountDetails },
      },
    },
    async (request) => {
      const account = named.of(request)
      const { userId, username } = account
      const facts = await accountFacts(db, userId)
      if (!facts) throw goneMeanwhile('accountNotFound')
      const until = facts.locked_until ?? 0
      const [oldest] = await factors.of(userId)
      const limits = await throttle.ofAccount(account)
      const linked = await identities.of(userId)
      const others: [string, unknown][] = []
      for (const { name, read } of details) others.push([name, await read(account)])
      return {
        account: show(account),
        user: { id: userId, name: facts.name, email: facts.email },
        last_login_at: facts.last_login_at === 0 ? null : isoTime(facts.last_login_at),
        failed_logins: facts.failed_logins,
        locked_until: until > clock.now() ? isoTime(until) : null,
        last_administrator: await isLastAdministrator(db, account),
        imported: facts.import_id !== null,
        language: facts.language,
        password: {
          is_set: facts.hash !== null,
          changed_at: isoTimeOrNull(facts.changed_at),
          must_change: facts.must_change === 1,
        },
        second_factor: oldest
          ? {
              confirmed_at: isoTimeOrNull(oldest.createdAt),
              recovery_codes_left: await factors.recoveryCodesLeft(userId),
            }
          : null,
        identities: linked.map((identity) => identityView(identity, providers)),
        sessions: (await sessions.of(userId)).length,
        devices: Number(facts.devices),
        tokens_issued: await tokensIssued(account),
        limits: limits.map((limit) => limitView({ ...limit, username, client: undefined })),
        posts: Number(facts.posts),
        ...Object.fromEntries(others),
      }
    },
  )

  /** Counts the records of issued tokens; revocation is not checked. */
  async function tokensIssued({ userId }: Account): Promise<number> {
    const { accessSeconds, singleSeconds } = config.token
    const since = clock.now() - Math.max(accessSeconds, singleSeconds) * 1000
    const filters = { types: [tokenCreated.name], target: String(userId), since }
    const { records } = await options.auditLog.page(filters, { limit: maxTokens })
    return records.filter(({ target }) => target?.user_id === userId).length
  }
}
