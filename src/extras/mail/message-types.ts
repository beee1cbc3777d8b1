import type { Language } from '../../core/lib/languages.ts'
import type { Origin } from '../../modules/devices/origin.ts'

/** `operator`: by command line. */
export type Actor = 'owner' | 'administrator' | 'operator' | 'service'

interface WithOrigin {
  readonly origin?: Origin
}

export interface NoticeFacts extends WithOrigin {
  readonly username: string
  /** Default: the owner. */
  readonly by?: Actor
  /** The last mail of its type in a day. */
  readonly isLast?: boolean
}

/** Untrusted texts. */
export interface MessageFacts {
  /**
   * Confirms an account's address. No username: the reader may be a stranger, and the requester
   * chose the username.
   */
  verification: WithOrigin
  sign_up: WithOrigin
  sign_up_exists: WithOrigin & { readonly username: string }
  sign_in: WithOrigin & { readonly username: string }
  /** A code that confirms a change of one's own account. */
  proof: WithOrigin & { readonly username: string }
  /**
   * Code and link to set a new password. `username` is null if an administrator names an unverified
   * address.
   */
  reset: WithOrigin & { readonly username: string | null; readonly by?: Actor }
  invitation: WithOrigin & { readonly name: string | null; readonly invitedBy: string | null }
  /** Goes to the new address; no username either. */
  email_change: WithOrigin

  new_sign_in: NoticeFacts
  /** `linked`: providers that can still sign in. */
  password_changed: NoticeFacts & { readonly linked?: readonly string[] }
  /** Goes to the old address, with the undo link; `newAddress` is masked. */
  email_changed: NoticeFacts & { readonly newAddress: string | null }
  factor_added: NoticeFacts
  factor_removed: NoticeFacts
  passkey_refused: NoticeFacts
  recovery_codes_renewed: NoticeFacts
  recovery_code_used: NoticeFacts & { readonly left: number | null }
  identity_linked: NoticeFacts & { readonly provider: string }
  identity_unlinked: NoticeFacts & { readonly provider: string | null }
  /**
   * `until`: epoch milliseconds; null: until unlocked by an administrator. `during`: the last
   * failure was a second-factor code during a password reset.
   */
  locked: NoticeFacts & { readonly until: number | null; readonly during?: 'reset' }
  /** `deletionAt`: epoch milliseconds. */
  deletion_requested: NoticeFacts & { readonly deletionAt: number }
  /** To a former address, with the link that undoes the address change. */
  deletion_requested_former: NoticeFacts & { readonly deletionAt: number }
  deletion_cancelled: NoticeFacts
  app_password_added: NoticeFacts
  device_remembered: NoticeFacts
  /** To who made the key. `endsAt`: epoch milliseconds. */
  key_expiring: NoticeFacts & { readonly keyId: string; readonly endsAt: number }
  /** Of an event without a message of its own. */
  account_event: NoticeFacts & { readonly words: Readonly<Record<Language, string>> }
  account_deleted: WithOrigin & { readonly username: string }
  test: WithOrigin & { readonly at: number }
}

export const noticeTypes = [
  'new_sign_in',
  'password_changed',
  'email_changed',
  'factor_added',
  'factor_removed',
  'passkey_refused',
  'recovery_codes_renewed',
  'recovery_code_used',
  'identity_linked',
  'identity_unlinked',
  'locked',
  'deletion_requested',
  'deletion_cancelled',
  'app_password_added',
  'device_remembered',
  'key_expiring',
  'account_event',
] as const satisfies readonly MessageName[]
export type NoticeType = (typeof noticeTypes)[number]

export type MessageName = keyof MessageFacts

/** Each has its own share of MAIL_PER_MINUTE: shares.ts. */
export const purposes = ['sign_in', 'reset', 'verification', 'sign_up'] as const
export type Purpose = (typeof purposes)[number]

/**
 * Lower priorities are sent first. Limits apply to requests: anyone can trigger a request for any
 * address.
 */
export type MessageType =
  | { readonly kind: 'request'; readonly purpose: Purpose; readonly priority: number }
  | { readonly kind: 'notice'; readonly priority: number }

const [code, link, invitation, notice, signUp] = [0, 10, 20, 50, 60]

/**
 * Codes and links that a person waits for come first, then notices, then sign-ups, which need no
 * account.
 */
export const messageTypes: Readonly<Record<MessageName, MessageType>> = {
  sign_in: { kind: 'request', purpose: 'sign_in', priority: code },
  proof: { kind: 'request', purpose: 'verification', priority: code },
  sign_up: { kind: 'request', purpose: 'sign_up', priority: signUp },
  sign_up_exists: { kind: 'request', purpose: 'sign_up', priority: signUp },
  verification: { kind: 'request', purpose: 'verification', priority: link },
  email_change: { kind: 'request', purpose: 'verification', priority: link },
  reset: { kind: 'request', purpose: 'reset', priority: link },
  // Sent by an administrator: strangers must not exhaust the limits of the address.
  invitation: { kind: 'notice', priority: invitation },
  new_sign_in: { kind: 'notice', priority: notice },
  password_changed: { kind: 'notice', priority: notice },
  email_changed: { kind: 'notice', priority: notice },
  factor_added: { kind: 'notice', priority: notice },
  factor_removed: { kind: 'notice', priority: notice },
  passkey_refused: { kind: 'notice', priority: notice },
  recovery_codes_renewed: { kind: 'notice', priority: notice },
  recovery_code_used: { kind: 'notice', priority: notice },
  identity_linked: { kind: 'notice', priority: notice },
  identity_unlinked: { kind: 'notice', priority: notice },
  locked: { kind: 'notice', priority: notice },
  // The response time is limited.
  deletion_requested: { kind: 'notice', priority: link },
  deletion_requested_former: { kind: 'notice', priority: link },
  deletion_cancelled: { kind: 'notice', priority: notice },
  app_password_added: { kind: 'notice', priority: notice },
  device_remembered: { kind: 'notice', priority: notice },
  key_expiring: { kind: 'notice', priority: notice },
  account_event: { kind: 'notice', priority: notice },
  account_deleted: { kind: 'notice', priority: notice },
  test: { kind: 'notice', priority: code },
}

/** Most urgent first. */
export const priorities = [
  ...new Set(Object.values(messageTypes).map(({ priority }) => priority)),
].sort((left, right) => left - right)

export interface MessageContext {
  readonly name: string
  /** BASE_URL, without trailing slash. */
  readonly baseUrl: string
  /** The full URL with its token. */
  readonly link?: string
  /** 8 digits, instead of the link. */
  readonly code?: string
  /** Epoch milliseconds. */
  readonly expiresAt?: number
}

export interface RenderedMessage {
  /** One line, no secrets: lock screens show subjects. */
  readonly subject: string
  readonly text: string
  readonly html: string
}

export type Render = <Name extends MessageName>(
  message: Name,
  facts: MessageFacts[Name],
  language: Language,
  context: MessageContext,
) => RenderedMessage

export const messagePaths: Readonly<Partial<Record<MessageName, string>>> = {
  sign_in: '/signin',
  sign_up: '/signup',
  verification: '/verify',
  email_change: '/verify',
  email_changed: '/verify', // undoes the change
  reset: '/reset',
  deletion_requested: '/reset',
  deletion_requested_former: '/verify',
  invitation: '/invitation',
}
