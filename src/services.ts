import { afterCommit } from './core/database/commit.ts'
import { migrate } from './core/database/migrate.ts'
import { createLoginAddress, type LoginAddress } from './core/http/limits/login-address.ts'
import type { Module, OnAccountEnded, OnErasure } from './core/module/module.ts'
import type { ExportSection } from './core/module/person.ts'
import {
  assertDistinct,
  assertDistinctEvents,
  type KnownEvent,
  tracesOf,
} from './core/module/registry.ts'
import type { Services } from './core/module/services.ts'
import type { Deps } from './core/runtime/deps.ts'
import { type Backups, createBackups } from './extras/backup/runs.ts'
import { createEmails, type Emails } from './extras/email-addresses/emails.ts'
import { createUndo } from './extras/email-addresses/undo.ts'
import { createEmailLogin, type EmailLogin } from './extras/email-sign-in/email-login.ts'
import { createLookUp, type LookUpReason } from './extras/explain/explanations.ts'
import { createRefusals, type Refusals } from './extras/explain/refusals.ts'
import { createHostSessions, type HostSessions } from './extras/forward-auth/host-sessions.ts'
import { createForwardRules, type ForwardRules } from './extras/forward-auth/rules.ts'
import { createImports, type Imports } from './extras/import-export/import.ts'
import { createDevices, type Devices } from './extras/mail/devices.ts'
import { createMailAdmin, type MailAdmin } from './extras/mail/mail-admin.ts'
import { createMailedProof, type MailedProof } from './extras/mail/mailed-proof.ts'
import { createMailer, type Mailer } from './extras/mail/mailer.ts'
import { createNotices, type Notices, noticeEvents } from './extras/mail/notices.ts'
import { createOutbox, type Outbox } from './extras/mail/outbox.ts'
import { type Confirmations, createConfirmations } from './extras/one-time-tokens/confirmations.ts'
import type { ProtectedForms } from './extras/own-account/pages/protected-form.ts'
import { type AccountDeletion, createAccountDeletion } from './extras/personal-data/deletion.ts'
import { createPersonalData, type PersonalData } from './extras/personal-data/personal-data.ts'
import { createRecovery, type Recovery } from './extras/recovery/recovery.ts'
import { createInvitations, type Invitations } from './extras/sign-up/invitations.ts'
import { createSignUp, type SignUp } from './extras/sign-up/sign-up.ts'
import { createStatisticSeries, type StatisticSeries } from './extras/statistics/series.ts'
import type { EndpointRules } from './extras/webhooks/endpoint-input.ts'
import { createEndpoints, type Endpoints, webhookChanges } from './extras/webhooks/endpoints.ts'
import { createWebhookOutbox, type WebhookOutbox } from './extras/webhooks/outbox.ts'
import { createWebhookSender, type WebhookSender } from './extras/webhooks/sender.ts'
import { createWebhookStats, type WebhookStats } from './extras/webhooks/stats.ts'
import {
  createWebhookSubscriptions,
  type WebhookSubscriptions,
} from './extras/webhooks/subscriptions.ts'
import { outboundRules } from './extras/webhooks/target-rules.ts'
import { createWebhookThrottle } from './extras/webhooks/throttle.ts'
import { createWebhookAdmin, type WebhookAdmin } from './extras/webhooks/webhook-admin.ts'
import { type AccountList, createAccountList } from './modules/accounts/account-list.ts'
import {
  type Accounts,
  accountAtLogin,
  createAccounts,
  isAdministratorsUser,
  presentAccount,
} from './modules/accounts/accounts.ts'
import { type AutomaticLock, createAutomaticLock } from './modules/accounts/lock.ts'
import { type Audit, createAudit } from './modules/audit/audit.ts'
import { type AuditLog, createAuditLog } from './modules/audit/audit-log.ts'
import { handOverCheckpoints } from './modules/audit/checkpoint-key-rotation.ts'
import { createErasure, type Erasure } from './modules/audit/erasure.ts'
import { createPersonSeal } from './modules/audit/person-seal.ts'
import { type AuditProof, createAuditProof } from './modules/audit/proof.ts'
import { type AuditVerifications, createAuditVerifications } from './modules/audit/verify/runs.ts'
import { type Completion, createCompletion } from './modules/authentication/completion.ts'
import type { Proofs } from './modules/authentication/proofs.ts'
import { createRequirements, type Requirements } from './modules/authentication/requirements.ts'
import { type Clients, createClients } from './modules/clients/clients.ts'
import { type ExternalBearer, externalBearer } from './modules/federation/authenticator.ts'
import { createFlows, type Flows } from './modules/federation/flow.ts'
import { createIdentities, type Identities } from './modules/federation/identities.ts'
import { createProviders, type Providers } from './modules/federation/providers.ts'
import type { PageFlows } from './modules/flows/flows.ts'
import { createPageFlows } from './modules/flows/page-flows.ts'
import { createReturnPaths, type ReturnPaths } from './modules/flows/return-paths.ts'
import type { ReturnOrigins } from './modules/flows/return-to.ts'
import { endWaitingSignIns } from './modules/flows/store.ts'
import { createReadiness, type Readiness } from './modules/health/readiness.ts'
import { createIdempotency, type Idempotency } from './modules/idempotency/idempotency.ts'
import { type KeySet, loadKeySet } from './modules/keys/key-set.ts'
import {
  createMasterKeyRotation,
  type MasterKeyRotation,
} from './modules/keys/master-key-rotation.ts'
import {
  createMasterKeyRotationAnswers,
  type MasterKeyRotationAnswers,
} from './modules/keys/master-key-rotation-answers.ts'
import { createPasswords, type Passwords } from './modules/passwords/passwords.ts'
import { breachQuery } from './modules/passwords/range-query.ts'
import { createVerifier, type Verifier } from './modules/passwords/verifier.ts'
import { createPosts, type Posts } from './modules/posts/posts.ts'
import { createGrants, type Grants } from './modules/proofs/grants.ts'
import { createProofs } from './modules/proofs/proofs.ts'
import type { LogoutEndings } from './modules/sessions/logout-routes.ts'
import { addFactor, createSessions, type Sessions } from './modules/sessions/sessions.ts'
import { type Captcha, createCaptcha } from './modules/throttle/captcha.ts'
import {
  type ClientLimits,
  createClientLimits,
  createLoginLimits,
  type LoginLimits,
} from './modules/throttle/limits.ts'
import { createThrottleOverview, type ThrottleOverview } from './modules/throttle/overview.ts'
import { createTakenUsernames } from './modules/throttle/taken-usernames.ts'
import { endBearer } from './modules/tokens/authenticator.ts'
import { endRefreshToken } from './modules/tokens/end-token.ts'
import { createProfiles, type Profiles } from './modules/tokens/profiles.ts'
import { loadRevocations, type Revocations } from './modules/tokens/revocations.ts'
import { createRotation, type Rotation } from './modules/tokens/rotation.ts'
import { createTokens, type Tokens } from './modules/tokens/tokens.ts'
import { createVerified, type Verified } from './modules/tokens/verified.ts'
import { createSecondFactor, type SecondFactor } from './modules/totp/second-factor.ts'
import { createUsers, type Users } from './modules/users/users.ts'

interface Made extends LogoutEndings {
  readonly accountDeletion: AccountDeletion
  readonly accountList: AccountList
  readonly accounts: Accounts
  readonly auditLog: AuditLog
  readonly audit: Audit
  readonly auditProof: AuditProof
  readonly auditVerifications: AuditVerifications
  /** All types of events, in the order of the modules. */
  readonly knownEvents: readonly KnownEvent[]
  readonly backups: Backups
  readonly captcha: Captcha
  readonly clientLimits: ClientLimits
  readonly clients: Clients
  readonly completion: Completion
  readonly confirmations: Confirmations
  readonly emailLogin: EmailLogin
  readonly devices: Devices
  readonly emails: Emails
  readonly erasure: Erasure
  readonly externalBearer: ExternalBearer
  readonly flows: Flows
  readonly forwardRules: ForwardRules
  readonly hostSessions: HostSessions
  readonly identities: Identities
  readonly idempotency: Idempotency
  readonly imports: Imports
  readonly invitations: Invitations
  readonly keys: KeySet
  readonly limits: LoginLimits
  readonly lock: AutomaticLock
  readonly loginAddress: LoginAddress
  readonly mailAdmin: MailAdmin
  readonly masterKeyRotation: MasterKeyRotation
  readonly mailer: Mailer
  readonly notices: Notices
  readonly outbox: Outbox
  readonly pageFlows: PageFlows
  readonly passwords: Passwords
  readonly personalData: PersonalData
  readonly posts: Posts
  readonly profiles: Profiles
  readonly grants: Grants
  readonly mailedProof: MailedProof
  readonly proofs: Proofs
  readonly protectedForms: ProtectedForms
  readonly providers: Providers
  readonly readiness: Readiness
  readonly recovery: Recovery
  readonly refusals: Refusals
  readonly lookUpReason: LookUpReason
  readonly modules: readonly Module[]
  readonly requirements: Requirements
  readonly returnOrigins: ReturnOrigins
  readonly returnPaths: ReturnPaths
  readonly revocations: Revocations
  readonly rotation: Rotation
  readonly secondFactor: SecondFactor
  readonly sessions: Sessions
  readonly signUp: SignUp
  readonly statisticSeries: StatisticSeries
  readonly throttle: ThrottleOverview
  readonly tokens: Tokens
  readonly masterKeyRotationAnswers: MasterKeyRotationAnswers
  readonly users: Users
  readonly verified: Verified
  readonly verifier: Verifier
  readonly webhookSubscriptions: WebhookSubscriptions
  readonly webhookOutbox: WebhookOutbox
  readonly webhookSender: WebhookSender
  readonly webhookAdmin: WebhookAdmin
  readonly webhookEndpoints: Endpoints
  readonly webhookStats: WebhookStats
  readonly webhookRules: EndpointRules
}

declare module './core/module/services.ts' {
  interface Services extends Made {}
}

export interface ServicesOptions {
  /** Whether to migrate an older schema. */
  readonly mayMigrate?: boolean
  /** See `loadKeySet`. */
  readonly mayAddSigner?: boolean
  readonly modules: readonly Module[]
}

/**
 * Creates all services, for the server and for the command line: schema and keys first, then the
 * modules.
 * @throws Error if two manifests declare the same thing, or if the schema is older and `mayMigrate`
 * is false
 */
export async function createServices(
  deps: Deps,
  { mayMigrate = true, mayAddSigner = true, modules }: ServicesOptions,
): Promise<Services> {
  const { config, db, asyncCommitDb, clock, events, random } = deps
  assertDistinct(modules)
  const knownEvents = await assertDistinctEvents(modules)
  await migrate(db, clock, { mayChange: mayMigrate, modules })

  const subscriptions = createWebhookSubscriptions(deps)
  await subscriptions.refresh()
  const webhookOutbox = createWebhookOutbox({ subscriptions })
  events.inside(webhookChanges, async (trx) => afterCommit(trx, subscriptions.changed))
  let auditProof: AuditProof | undefined // the keys that it needs may be made by a recorded change
  const audit = createAudit({
    ...deps,
    committed: (count, at) => auditProof?.recorded(count, at),
    inserted: webhookOutbox.addRecords,
  })
  const keys = await loadKeySet(deps, { mayAddSigner })
  auditProof = createAuditProof({ ...deps, keys, inserted: webhookOutbox.addCheckpoint })
  const revocations = await loadRevocations(deps)
  const passwords = createPasswords(deps)
  const requirements = createRequirements(deps)
  const lock = createAutomaticLock({ ...deps, endSignIns: endWaitingSignIns })
  const captcha = createCaptcha({ ...deps, keys })
  const limits = createLoginLimits({
    ...deps,
    db: asyncCommitDb,
    captcha,
    failures: lock,
    keys,
  })
  const isBreached = breachQuery(deps)
  const ended: OnAccountEnded[] = [] // filled below: the manifests need the services
  const hooks = { ended, changed: [revocations.appended] }
  const erasing: OnErasure[] = [] // as well
  const accounts = createAccounts({ ...deps, passwords, isBreached, requirements, hooks })
  const users = createUsers({
    config,
    db,
    asyncCommitDb,
    events,
    hooks: {
      isPrivileged: isAdministratorsUser,
      removing: [accounts.removeWithUser],
      erasing,
      traces: tracesOf(modules),
      changed: [(id) => profiles.forget(id), revocations.appended],
    },
  })
  const profiles = createProfiles(users, revocations)
  const identities = createIdentities({ ...deps, accounts })
  const erased: OnErasure[] = [] // the same without the keys of the audit log
  const erasure = createErasure({
    ...deps,
    audit,
    keys,
    erased,
    subjectsOf: identities.subjectsOf,
  })
  const providers = createProviders(deps)
  const rotation = createRotation(deps)
  const tokens = createTokens({ config, clock, random, keys })
  const external = externalBearer({ ...deps, identities, providers, requirements, revocations })
  const ending = { events, revocations, rotation, tokens }
  const endOwn = endBearer(ending)
  const confirmations = createConfirmations({ ...deps, keys })
  const outbox = createOutbox({ ...deps, audit, keys })
  const notices = createNotices({ ...deps, confirmations, keys, outbox })
  events.inside(noticeEvents, notices.sink)
  const devices = createDevices({ ...deps, keys })
  const takenUsernames = createTakenUsernames(deps)
  const registration = { ...deps, accounts, confirmations, keys, outbox, takenUsernames }
  const secondFactor = createSecondFactor({ ...deps, accounts, keys, proved: addFactor })
  const verifier = createVerifier({ ...deps, passwords })
  const loginAddress = createLoginAddress(config)
  const pageFlows = createPageFlows({ ...deps, keys })
  const grants = createGrants({ ...deps, pageFlows, requirements })
  const proofs = createProofs({
    ...{
      ...deps,
      accounts,
      grants,
      limits,
      loginAddress,
      passwords,
      requirements,
      secondFactor,
      verifier,
    },
    hasProvider: async (userId) =>
      (await identities.of(userId)).some(({ issuer }) => providers.issuing(issuer)?.config.client),
  })
  const forwardRules = createForwardRules(deps)
  const returnPaths = createReturnPaths(config)
  const backups = createBackups({ ...deps, modules })
  const sessions = createSessions({ ...deps, accounts, requirements })
  const sections: ExportSection[] = [] // as well
  const auditLog = createAuditLog({
    ...deps,
    keys,
    userIdOf: async (username) => (await accounts.byUsername(username))?.userId ?? null,
  })
  const personSeal = createPersonSeal({ ...deps, keys })
  const webhookAdmin = createWebhookAdmin({ ...deps, personSeal })
  webhookAdmin.onDue(webhookOutbox.notify)
  const lookUpReason = createLookUp(modules)
  const mailer = createMailer({ ...deps, keys, confirmations, outbox })
  const services: Services = {
    accountDeletion: createAccountDeletion({
      ...deps,
      ...{ accounts, confirmations, mailer, outbox, users },
    }),
    accountList: createAccountList(deps),
    accounts,
    auditLog,
    audit,
    auditProof,
    auditVerifications: createAuditVerifications({ ...deps, auditProof, keys }),
    knownEvents,
    backups,
    captcha,
    clientLimits: createClientLimits({ ...deps, db: asyncCommitDb, keys }),
    clients: createClients(deps),
    completion: createCompletion({
      ...deps,
      requirements,
      present: presentAccount,
      presentAtLogin: (trx, userId, byPassword) =>
        accountAtLogin(trx, userId, clock.now(), byPassword),
      signedIn: devices.signedIn,
    }),
    confirmations,
    devices,
    emails: createEmails({
      ...deps,
      accounts,
      confirmations,
      hooks,
      outbox,
      requirements,
      undoSince: createUndo({ accounts, confirmations, devices, identities, secondFactor }),
    }),
    erasure,
    endBearer: async (request) => (await external.end(request)) || (await endOwn(request)),
    endRefresh: (token) => endRefreshToken(ending, token, { reason: 'logout' }),
    emailLogin: createEmailLogin({ ...deps, accounts, confirmations, outbox, requirements }),
    externalBearer: external,
    flows: createFlows({ ...deps, accounts, keys }),
    forwardRules,
    hostSessions: createHostSessions({ ...deps, sessions }),
    identities,
    idempotency: createIdempotency({ ...deps, keys }),
    imports: createImports({ ...deps, passwords, isBreached }),
    invitations: createInvitations(registration),
    keys,
    limits,
    lock,
    loginAddress,
    mailAdmin: createMailAdmin({ ...deps, keys, outbox }),
    masterKeyRotation: createMasterKeyRotation({ ...deps, onRotated: handOverCheckpoints }),
    mailer,
    notices,
    outbox,
    pageFlows,
    passwords,
    personalData: createPersonalData({ ...deps, sections }),
    posts: createPosts(deps),
    profiles,
    grants,
    mailedProof: createMailedProof({
      ...{ ...deps, accounts, confirmations, limits, loginAddress, outbox, requirements },
    }),
    proofs,
    protectedForms: new Map(),
    providers,
    readiness: createReadiness({ ...deps, accounts, backups, keys, modules }),
    recovery: createRecovery({
      ...deps,
      accounts,
      confirmations,
      devices,
      identities,
      lock,
      outbox,
      requirements,
      secondFactor,
    }),
    lookUpReason,
    modules,
    refusals: createRefusals(deps),
    requirements,
    returnOrigins: {
      includes: (origin) =>
        config.pages.returnOrigins.includes(origin) || forwardRules.isOrigin(origin),
      isForwarded: (origin) => forwardRules.isOrigin(origin),
      isTarget: returnPaths.isTarget,
    },
    returnPaths,
    revocations,
    rotation,
    secondFactor,
    sessions,
    signUp: createSignUp(registration),
    statisticSeries: createStatisticSeries({ ...deps, lookUpReason }),
    throttle: createThrottleOverview({ ...deps, keys }),
    tokens,
    masterKeyRotationAnswers: createMasterKeyRotationAnswers({ ...deps, keys }),
    users,
    verified: createVerified({ clock, keys, tokens }),
    verifier,
    webhookSubscriptions: subscriptions,
    webhookOutbox,
    webhookSender: createWebhookSender({
      ...deps,
      ...{ auditLog, subscriptions, keys, personSeal },
      outbox: webhookOutbox,
      throttle: createWebhookThrottle({
        ...{ wait: clock.wait, events: webhookOutbox.total },
        requests: () => deps.measurements.requests.total,
      }),
      rules: outboundRules(config),
    }),
    webhookAdmin,
    webhookEndpoints: createEndpoints({ ...deps, keys, announce: subscriptions.announce }),
    webhookStats: createWebhookStats(deps),
    webhookRules: {
      knownEvents: knownEvents.map(({ name }) => name),
      outbound: outboundRules(config),
    },
  }
  for (const { onAccountEnded, onErasure, personalData } of modules) {
    if (personalData) sections.push(...(await personalData({ ...deps, ...services })))
    if (onAccountEnded) ended.push(await onAccountEnded({ ...deps, ...services }))
    if (onErasure) erased.push(await onErasure({ ...deps, ...services }))
  }
  erasing.push(erasure.begin, ...erased)
  return services
}
