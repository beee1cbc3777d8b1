import type { Language } from '../../core/lib/languages.ts'
import type { Origin } from '../../modules/devices/origin.ts'

/** Who did what a notice tells of; `operator`: on the command line. */
export type Actor = 'owner' | 'administrator' | 'operator' | 'service'

/** The outbox adds the origin of the request under way to each message that names none. */
interface WithOrigin {
  readonly origin?: Origin
}

/** Facts of a notice: the account, where the change was made, and by whom. */
export interface NoticeFacts extends WithOrigin {
  readonly username: string
  /** The owner, if it is absent. */
  readonly by?: Actor
  /** The last mail of its type in a day: further notices are listed in the account alone. */
  readonly isLast?: boolean
}

/** What each message tells, beside its link, its code and their end. Texts in it are not trusted. */
export interface MessageFacts {
  /**
   * Confirms the address of an account. The mail has no username, because the reader may be a stranger
   * and the username is free text of the person who asks.
   */
  verification: WithOrigin
  /** Continues a sign-up at this address. */
  sign_up: WithOrigin
  /** Answers a sign-up at the address of an account. */
  sign_up_exists: WithOrigin & { readonly username: string }
  /** A code and a link that sign in. */
  sign_in: WithOrigin & { readonly username: string }
  /** A code that confirms a change of the own account. */
  proof: WithOrigin & { readonly username: string }
  /**
   * A code and a link that set a new password. `username` is null if an administrator names an address
   * that the account has not verified.
   */
  reset: WithOrigin & { readonly username: string | null; readonly by?: Actor }
  /** `name`: of the invited person. `invitedBy`: of the administrator, who gave both. */
  invitation: WithOrigin & { readonly name: string | null; readonly invitedBy: string | null }
  /** Confirms another address of an account. Goes to that address, and has no username either. */
  email_change: WithOrigin

  new_sign_in: NoticeFacts
  /** `linked`: the names of the providers at which a sign-in still opens the account. */
  password_changed: NoticeFacts & { readonly linked?: readonly string[] }
  /** Goes to the old address, with the link that undoes the change; `newAddress` is masked. */
  email_changed: NoticeFacts & { readonly newAddress: string | null }
  factor_added: NoticeFacts
  factor_removed: NoticeFacts
  recovery_codes_renewed: NoticeFacts
  /** `left`: how many codes remain. */
  recovery_code_used: NoticeFacts & { readonly left: number | null }
  /** `provider`: its name in the settings. */
  identity_linked: NoticeFacts & { readonly provider: string }
  identity_unlinked: NoticeFacts & { readonly provider: string | null }
  /**
   * `until`: epoch milliseconds; null: until an administrator unlocks the account. `during`: the last
   * failure was a code of the second factor at a reset of the password.
   */
  locked: NoticeFacts & { readonly until: number | null; readonly during?: 'reset' }
  /** Has the link that cancels the deletion. `deletionAt`: epoch milliseconds. */
  deletion_requested: NoticeFacts & { readonly deletionAt: number }
  /** The same to a former address, with the link that undoes the change of the address. */
  deletion_requested_former: NoticeFacts & { readonly deletionAt: number }
  deletion_cancelled: NoticeFacts
  /** Goes to the address of an account that is erased. */
  account_deleted: WithOrigin & { readonly username: string }
  /** What an administrator sends to see whether mail arrives. */
  test: WithOrigin & { readonly at: number }
}

/** The notices, which tell the owner of an account what happened to it. */
export const noticeTypes = [
  'new_sign_in',
  'password_changed',
  'email_changed',
  'factor_added',
  'factor_removed',
  'recovery_codes_renewed',
  'recovery_code_used',
  'identity_linked',
  'identity_unlinked',
  'locked',
  'deletion_requested',
  'deletion_cancelled',
] as const satisfies readonly MessageName[]
export type NoticeType = (typeof noticeTypes)[number]

export type MessageName = keyof MessageFacts

/** The purposes of requests; each has room of its own in MAIL_PER_MINUTE: shares.ts. */
export const purposes = ['sign_in', 'reset', 'verification', 'sign_up'] as const
export type Purpose = (typeof purposes)[number]

/** Lower priorities are sent first. Limits hold for requests: anyone may cause one for any address. */
export type MessageType =
  | { readonly kind: 'request'; readonly purpose: Purpose; readonly priority: number }
  | { readonly kind: 'notice'; readonly priority: number }

const [code, link, invitation, notice, signUp] = [0, 10, 20, 50, 60]

/**
 * The messages by priority: codes and links that a person waits for come before notices, and both come
 * before sign-ups, which a stranger can request without an account.
 */
export const messageTypes: Readonly<Record<MessageName, MessageType>> = {
  sign_in: { kind: 'request', purpose: 'sign_in', priority: code },
  proof: { kind: 'request', purpose: 'verification', priority: code },
  sign_up: { kind: 'request', purpose: 'sign_up', priority: signUp },
  sign_up_exists: { kind: 'request', purpose: 'sign_up', priority: signUp },
  verification: { kind: 'request', purpose: 'verification', priority: link },
  email_change: { kind: 'request', purpose: 'verification', priority: link },
  reset: { kind: 'request', purpose: 'reset', priority: link },
  // An administrator causes it, and strangers must not use up the limits of the address.
  invitation: { kind: 'notice', priority: invitation },
  new_sign_in: { kind: 'notice', priority: notice },
  password_changed: { kind: 'notice', priority: notice },
  email_changed: { kind: 'notice', priority: notice },
  factor_added: { kind: 'notice', priority: notice },
  factor_removed: { kind: 'notice', priority: notice },
  recovery_codes_renewed: { kind: 'notice', priority: notice },
  recovery_code_used: { kind: 'notice', priority: notice },
  identity_linked: { kind: 'notice', priority: notice },
  identity_unlinked: { kind: 'notice', priority: notice },
  locked: { kind: 'notice', priority: notice },
  // The owner has a limited time for an answer.
  deletion_requested: { kind: 'notice', priority: link },
  deletion_requested_former: { kind: 'notice', priority: link },
  deletion_cancelled: { kind: 'notice', priority: notice },
  account_deleted: { kind: 'notice', priority: notice },
  test: { kind: 'notice', priority: code },
}

/** All priorities, the most urgent first. */
export const priorities = [
  ...new Set(Object.values(messageTypes).map(({ priority }) => priority)),
].sort((left, right) => left - right)

/** What rendering needs beside the facts. */
export interface MessageContext {
  /** The name of the service: BRAND_NAME. */
  readonly name: string
  /** BASE_URL, without a slash at the end. */
  readonly baseUrl: string
  /** The whole address of the page that the message leads to, with its token. */
  readonly link?: string
  /** What can be typed in its place: 8 digits. */
  readonly code?: string
  /** When link and code end, in epoch milliseconds. */
  readonly expiresAt?: number
}

export interface RenderedMessage {
  /** One line, without a secret: notifications show it on locked screens. */
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Makes the text of a message: messages/render.ts. */
export type Render = <Name extends MessageName>(
  message: Name,
  facts: MessageFacts[Name],
  language: Language,
  context: MessageContext,
) => RenderedMessage

/** The pages to which the links of messages lead, for the messages that have a confirmation. */
export const messagePaths: Readonly<Partial<Record<MessageName, string>>> = {
  sign_in: '/signin',
  sign_up: '/signup',
  verification: '/verify',
  email_change: '/verify',
  email_changed: '/verify', // the way back
  reset: '/reset',
  deletion_requested: '/reset',
  deletion_requested_former: '/verify',
  invitation: '/invitation',
}
