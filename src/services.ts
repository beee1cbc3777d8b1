import { type AccountList, createAccountList } from './accounts/account-list.ts'
import {
  type Accounts,
  accountAtLogin,
  createAccounts,
  isAdministratorsUser,
  presentAccount,
} from './accounts/accounts.ts'
import { type AutomaticLock, createAutomaticLock } from './accounts/lock.ts'
import { type Audit, createAudit } from './audit/audit.ts'
import { type AuditLog, createAuditLog } from './audit/audit-log.ts'
import { createErasure, type Erasure } from './audit/erasure.ts'
import { createPersonSeal } from './audit/person-seal.ts'
import { type AuditProof, createAuditProof } from './audit/proof.ts'
import { handOverCheckpoints } from './audit/succession.ts'
import { type AuditVerifications, createAuditVerifications } from './audit/verify/runs.ts'
import { type Completion, createCompletion } from './authentication/completion.ts'
import type { Proofs } from './authentication/proofs.ts'
import { createRequirements, type Requirements } from './authentication/requirements.ts'
import { type Backups, createBackups } from './backup/runs.ts'
import { type Clients, createClients } from './clients/clients.ts'
import { type Confirmations, createConfirmations } from './confirmations/confirmations.ts'
import { afterCommit } from './database/commit.ts'
import { migrate } from './database/migrate.ts'
import { createEmailLogin, type EmailLogin } from './email-login/email-login.ts'
import { createEmails, type Emails } from './emails/emails.ts'
import { createUndo } from './emails/undo.ts'
import { createLookUp, type LookUpReason } from './explain/explanations.ts'
import { createRefusals, type Refusals } from './explain/refusals.ts'
import { type ExternalBearer, externalBearer } from './federation/authenticator.ts'
import { createFlows, type Flows } from './federation/flow.ts'
import { createIdentities, type Identities } from './federation/identities.ts'
import { createProviders, type Providers } from './federation/providers.ts'
import type { PageFlows } from './flows/flows.ts'
import { createPageFlows } from './flows/page-flows.ts'
import { createReturnPaths, type ReturnPaths } from './flows/return-paths.ts'
import type { ReturnOrigins } from './flows/return-to.ts'
import { endWaitingSignIns } from './flows/store.ts'
import { createHostSessions, type HostSessions } from './forward/host-sessions.ts'
import { createForwardRules, type ForwardRules } from './forward/rules.ts'
import { createReadiness, type Readiness } from './health/readiness.ts'
import { createLoginAddress, type LoginAddress } from './http/limits/login-address.ts'
import { createIdempotency, type Idempotency } from './idempotency/idempotency.ts'
import { type KeySet, loadKeySet } from './keys/key-set.ts'
import { createMasterKeyRotation, type MasterKeyRotation } from './keys/master-key-rotation.ts'
import {
  createMasterKeyRotationAnswers,
  type MasterKeyRotationAnswers,
} from './keys/master-key-rotation-answers.ts'
import { createMailDesk, type MailDesk } from './mail/desk.ts'
import { createDevices, type Devices } from './mail/devices.ts'
import { createMailer, type Mailer } from './mail/mailer.ts'
import { createNotices, type Notices, noticeEvents } from './mail/notices.ts'
import { createOutbox, type Outbox } from './mail/outbox.ts'
import type { ProtectedForms } from './pages/account/protected-form.ts'
import { createPasswords, type Passwords } from './passwords/passwords.ts'
import { breachQuery } from './passwords/range-query.ts'
import { createVerifier, type Verifier } from './passwords/verifier.ts'
import { type AccountDeletion, createAccountDeletion } from './person/deletion.ts'
import { createPersonalData, type PersonalData } from './person/personal-data.ts'
import { createPosts, type Posts } from './posts/posts.ts'
import { createGrants, type Grants } from './proofs/grants.ts'
import { createMailedProof, type MailedProof } from './proofs/mailed-proof.ts'
import { createProofs } from './proofs/proofs.ts'
import { createRecovery, type Recovery } from './recovery/recovery.ts'
import { createInvitations, type Invitations } from './registration/invitations.ts'
import { createSignUp, type SignUp } from './registration/sign-up.ts'
import type { ExportSection } from './room/person.ts'
import { assertDistinct, assertDistinctEvents, type KnownEvent, tracesOf } from './room/registry.ts'
import type { OnAccountEnded, OnErasure, Room } from './room/room.ts'
import type { Deps } from './runtime/deps.ts'
import type { LogoutEndings } from './session/logout-routes.ts'
import { addFactor, createSessions, type Sessions } from './session/sessions.ts'
import { createStatisticSeries, type StatisticSeries } from './statistics/series.ts'
import { type Captcha, createCaptcha } from './throttle/captcha.ts'
import {
  type ClientLimits,
  createClientLimits,
  createLoginLimits,
  type LoginLimits,
} from './throttle/limits.ts'
import { createThrottleOverview, type ThrottleOverview } from './throttle/overview.ts'
import { createTakenUsernames } from './throttle/taken-usernames.ts'
import { endBearer } from './token/authenticator.ts'
import { endRefreshToken } from './token/end-token.ts'
import { createProfiles, type Profiles } from './token/profiles.ts'
import { loadRevocations, type Revocations } from './token/revocations.ts'
import { createRotation, type Rotation } from './token/rotation.ts'
import { createTokens, type Tokens } from './token/tokens.ts'
import { createVerified, type Verified } from './token/verified.ts'
import { createSecondFactor, type SecondFactor } from './totp/second-factor.ts'
import { createImports, type Imports } from './transfer/import.ts'
import { createUsers, type Users } from './users/users.ts'
import { createWebhookDesk, type WebhookDesk } from './webhooks/desk.ts'
import { createEndpoints, type Endpoints, webhookChanges } from './webhooks/endpoints.ts'
import { createWebhookFigures, type WebhookFigures } from './webhooks/figures.ts'
import { createWebhookInterest, type WebhookInterest } from './webhooks/interest.ts'
import { createWebhookOutbox, type WebhookOutbox } from './webhooks/outbox.ts'
import { createPace } from './webhooks/pace.ts'
import { createWebhookSender, type WebhookSender } from './webhooks/sender.ts'
import { outboundRules } from './webhooks/target-rules.ts'
import type { EndpointRules } from './webhooks/wanted.ts'

/** The services that the rooms offer each other: all of the program except HTTP. */
export interface Services extends LogoutEndings {
  readonly accountDeletion: AccountDeletion
  readonly accountList: AccountList
  readonly accounts: Accounts
  readonly auditLog: AuditLog
  readonly audit: Audit
  readonly auditProof: AuditProof
  readonly auditVerifications: AuditVerifications
  /** All types of events, in the order of the rooms. */
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
  readonly mailDesk: MailDesk
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
  readonly webhookInterest: WebhookInterest
  readonly webhookOutbox: WebhookOutbox
  readonly webhookSender: WebhookSender
  readonly webhookDesk: WebhookDesk
  readonly webhookEndpoints: Endpoints
  readonly webhookFigures: WebhookFigures
  readonly webhookRules: EndpointRules
}

/** The dependencies and services that the functions of a manifest get: see `Room`. */
export type Wired = Deps & Services

export interface ServicesOptions {
  /** Whether to migrate an older schema. */
  readonly mayMigrate?: boolean
  /** See `loadKeySet`. */
  readonly mayAddSigner?: boolean
  readonly rooms: readonly Room<Wired>[]
}

/**
 * Creates all services, for the server and for the command line: schema and keys first, then the
 * rooms.
 * @throws Error if two manifests declare the same thing, or if the schema is older and `mayMigrate`
 * is false
 */
export async function createServices(
  deps: Deps,
  { mayMigrate = true, mayAddSigner = true, rooms }: ServicesOptions,
): Promise<Services> {
  const { config, db, asyncCommitDb, clock, events, random } = deps
  assertDistinct(rooms)
  const knownEvents = await assertDistinctEvents(rooms)
  await migrate(db, clock, { mayChange: mayMigrate, rooms })

  const interest = createWebhookInterest(deps)
  await interest.refresh()
  const webhookOutbox = createWebhookOutbox({ interest })
  events.inside(webhookChanges, async (trx) => afterCommit(trx, interest.changed))
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
      traces: tracesOf(rooms),
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
  const backups = createBackups({ ...deps, rooms })
  const sessions = createSessions({ ...deps, accounts, requirements })
  const sections: ExportSection[] = [] // as well
  const auditLog = createAuditLog({
    ...deps,
    keys,
    userIdOf: async (username) => (await accounts.byUsername(username))?.userId ?? null,
  })
  const personSeal = createPersonSeal({ ...deps, keys })
  const webhookDesk = createWebhookDesk({ ...deps, personSeal })
  webhookDesk.onDue(webhookOutbox.wake)
  const lookUpReason = createLookUp(rooms)
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
    mailDesk: createMailDesk({ ...deps, keys, outbox }),
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
    readiness: createReadiness({ ...deps, accounts, backups, keys, rooms }),
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
    webhookInterest: interest,
    webhookOutbox,
    webhookSender: createWebhookSender({
      ...deps,
      ...{ auditLog, interest, keys, personSeal },
      outbox: webhookOutbox,
      pace: createPace({
        ...{ wait: clock.wait, events: webhookOutbox.total },
        requests: () => deps.measurements.requests.total,
      }),
      rules: outboundRules(config),
    }),
    webhookDesk,
    webhookEndpoints: createEndpoints({ ...deps, keys, announce: interest.announce }),
    webhookFigures: createWebhookFigures(deps),
    webhookRules: {
      knownEvents: knownEvents.map(({ name }) => name),
      outbound: outboundRules(config),
    },
  }
  for (const { onAccountEnded, onErasure, personalData } of rooms) {
    if (personalData) sections.push(...(await personalData({ ...deps, ...services })))
    if (onAccountEnded) ended.push(await onAccountEnded({ ...deps, ...services }))
    if (onErasure) erased.push(await onErasure({ ...deps, ...services }))
  }
  erasing.push(erasure.begin, ...erased)
  return services
}
