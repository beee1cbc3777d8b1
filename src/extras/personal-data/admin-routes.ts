import type { FastifyInstance } from 'fastify'
import type { Config } from '../../core/config/load.ts'
import type { Database } from '../../core/database/database.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import type { SchemaTypes } from '../../core/http/schemas.ts'
import { type Clock, isoTimeOrNull } from '../../core/lib/clock.ts'
import { role } from '../../core/policy/rules.ts'
import { type Accounts, isLastAdministrator } from '../../modules/accounts/accounts.ts'
import { shownWith } from '../../modules/accounts/admin-routes.ts'
import { accountNamed } from '../../modules/accounts/look-up.ts'
import { AccountName } from '../../modules/accounts/schemas.ts'
import type { AuditLog } from '../../modules/audit/audit-log.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Identities } from '../../modules/federation/identities.ts'
import type { Providers } from '../../modules/federation/providers.ts'
import { identityView } from '../../modules/federation/schemas.ts'
import { limitView } from '../../modules/login/throttle-routes.ts'
import type { Sessions } from '../../modules/sessions/sessions.ts'
import type { ThrottleOverview } from '../../modules/throttle/overview.ts'
import { tokenCreated } from '../../modules/tokens/events.ts'
import type { SecondFactor } from '../../modules/totp/second-factor.ts'
import type { Emails } from '../email-addresses/emails.ts'
import { showToAdministrator } from '../email-addresses/schemas.ts'
import { mailView } from '../mail/admin-routes.ts'
import type { MailAdmin } from '../mail/mail-admin.ts'
import { invitationView } from '../sign-up/admin-routes.ts'
import type { Invitations } from '../sign-up/invitations.ts'
import { accountDetailsSchema } from './details-schemas.ts'
import { accountFacts } from './details-store.ts'

/**
 * GET /api/admin/accounts/{username}/details: what an administrator must know of an account before an
 * act, on one page: what signs in to it, what is live, what keeps it from a login.
 */
export interface AccountDetailsOptions {
  readonly accounts: Pick<Accounts, 'byUsername'>
  readonly auditLog: Pick<AuditLog, 'page'>
  readonly clock: Clock
  readonly config: Pick<Config, 'roles' | 'token'>
  readonly db: Database
  readonly emails: Pick<Emails, 'of'>
  readonly identities: Pick<Identities, 'of'>
  readonly invitations: Pick<Invitations, 'ofUser' | 'rolesOf'>
  readonly mailAdmin: Pick<MailAdmin, 'page'>
  readonly providers: Pick<Providers, 'issuing'>
  readonly secondFactor: Pick<SecondFactor, 'stateOf'>
  readonly sessions: Pick<Sessions, 'of'>
  readonly throttle: Pick<ThrottleOverview, 'ofAccount'>
}

const shownMails = 10
const maxTokens = 100

export async function accountDetailsRoutes(
  instance: FastifyInstance,
  options: AccountDetailsOptions,
): Promise<void> {
  const { accounts, clock, config, db, emails, identities, invitations } = options
  const { mailAdmin, providers, secondFactor, sessions, throttle } = options
  const AccountDetails = accountDetailsSchema(config.roles)
  const show = shownWith(config.roles)
  const showInvitation = invitationView(invitations, clock)
  const named = accountNamed(accounts)

  instance.withTypeProvider<SchemaTypes>().get(
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
      const facts = await accountFacts(db, userId, clock.now())
      const email = await emails.of(userId)
      if (!facts || !email) throw goneMeanwhile('accountNotFound')
      const factor = await secondFactor.stateOf(userId)
      const limits = await throttle.ofAccount(account)
      const linked = await identities.of(userId)
      const mails = await mailAdmin.page({ userId }, 0, shownMails)
      return {
        account: show(account),
        user: { id: userId, name: facts.name, email: facts.email },
        last_login_at: isoTimeOrNull(facts.lastLoginAt),
        failed_logins: facts.failedLogins,
        locked_until: isoTimeOrNull(facts.lockedOutUntil),
        last_administrator: await isLastAdministrator(db, account),
        imported: facts.imported,
        language: facts.language,
        password: {
          is_set: facts.hasPassword,
          changed_at: isoTimeOrNull(facts.passwordChangedAt),
          must_change: facts.mustChange,
        },
        second_factor: factor && {
          confirmed_at: isoTimeOrNull(factor.confirmedAt),
          recovery_codes_left: factor.recoveryCodesLeft,
        },
        email: showToAdministrator(email),
        identities: linked.map((identity) => identityView(identity, providers)),
        sessions: (await sessions.of(userId)).length,
        devices: facts.devices,
        tokens_issued: await tokensIssued(account),
        limits: limits.map((limit) => limitView({ ...limit, username, client: undefined })),
        invitations: (await invitations.ofUser(userId)).map(showInvitation),
        mails: mails.map(mailView),
        posts: facts.posts,
      }
    },
  )

  /** Counts the records of tokens that have not expired; an end of theirs is not looked for. */
  async function tokensIssued({ userId }: Account): Promise<number> {
    const { accessSeconds, singleSeconds } = config.token
    const since = clock.now() - Math.max(accessSeconds, singleSeconds) * 1000
    const filters = { types: [tokenCreated.name], target: String(userId), since }
    const { records } = await options.auditLog.page(filters, { limit: maxTokens })
    return records.filter(({ target }) => target?.user_id === userId).length
  }
}
