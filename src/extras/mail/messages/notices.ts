import type { Language } from '../../../core/lib/languages.ts'
import type { Texts } from '../languages/en.ts'
import {
  type MessageFacts,
  type MessageName,
  type NoticeFacts,
  type NoticeType,
  noticeTypes,
} from '../message-types.ts'
import { type Letter, type Part, plainName } from './letter.ts'
import { pluralOf, rowsOf, timeInWords } from './words.ts'
import type { Writing } from './writing.ts'

type AnyNotice = NoticeFacts & {
  readonly left?: number | null
  readonly newAddress?: string | null
  readonly provider?: string | null
  readonly until?: number | null
  readonly deletionAt?: number
  readonly keyId?: string
  readonly endsAt?: number
  readonly isFormer?: boolean
  readonly during?: 'reset'
  readonly linked?: readonly string[]
  readonly words?: Readonly<Record<Language, string>>
}

/** Null for other messages. */
export function letterOfNotice(
  writing: Writing,
  message: MessageName,
  facts: MessageFacts[MessageName],
): Letter | null {
  return isNotice(message) ? written(writing, message, facts as AnyNotice) : null
}

export function isNotice(message: string): message is NoticeType {
  return (noticeTypes as readonly string[]).includes(message)
}

export function written(writing: Writing, message: NoticeType, facts: AnyNotice): Letter {
  const { texts, name, page, letter } = writing
  const account = texts.quoted(plainName(facts.username))
  const { by = 'owner' } = facts
  if (facts.isLast === true) {
    return letter(texts.more_changes.subject(name), [
      texts.greeting,
      texts.more_changes.intro(name, account),
      ...origin(writing, message, { ...facts, by }),
      texts.accountAt(page('/account')),
      ...advice(writing, message, facts),
    ])
  }
  const intro = introOf(texts, message, facts)(name, account)
  return letter(texts[message].subject(name), [
    texts.greeting,
    by === 'owner' ? `${intro} ${texts.fine}` : intro,
    texts.by[by],
    ...more(writing, message, facts),
    ...origin(writing, message, { ...facts, by }),
    ...advice(writing, message, facts),
    message === 'email_changed' || message === 'deletion_requested'
      ? null
      : texts.accountAt(page('/account')),
  ])
}

function introOf(
  { email_changed, locked, ...texts }: Texts,
  message: NoticeType,
  facts: AnyNotice,
) {
  if (message === 'email_changed') {
    return facts.newAddress ? email_changed.intro : email_changed.introRemoved
  }
  if (message === 'locked') return facts.during ? locked.introAtReset : locked.intro
  return texts[message].intro
}

/** Rows with the origin; only the time for an administrator's change. */
function origin(
  { language, name, texts }: Writing,
  message: NoticeType,
  { by, isLast = false, provider, newAddress, origin: from, words }: AnyNotice,
): readonly Part[] {
  const { labels } = texts
  const isTheirs = by === 'administrator' || by === 'operator'
  const seen = from && (isTheirs ? { ...from, address: null, device: null } : from)
  const rows = [
    ...(isLast && !words ? [[labels.change, texts[message].subject(name)] as const] : []),
    ...(words ? [[labels.change, words[language]] as const] : []),
    ...(provider ? [[labels.provider, plainName(provider)] as const] : []),
    ...(newAddress ? [[labels.newAddress, plainName(newAddress)] as const] : []),
    ...(seen ? rowsOf(texts, seen) : []),
  ]
  const heading = message === 'locked' ? texts.locked.last : texts.happened
  return [...(seen?.address && !isLast ? [heading] : []), { kind: 'facts', rows }]
}

function more(
  { texts }: Writing,
  message: NoticeType,
  { deletionAt, endsAt, keyId, left, linked = [], until }: AnyNotice,
): readonly (Part | null)[] {
  if (message === 'password_changed' && linked.length > 0) {
    return [texts.password_changed.linked(linked.map(plainName).join(', '))]
  }
  if (message === 'locked' && until) return [texts.locked.until(timeInWords(texts, until))]
  if (message === 'deletion_requested' && deletionAt !== undefined) {
    return [texts.deletion_requested.erased(timeInWords(texts, deletionAt))]
  }
  if (message === 'key_expiring' && endsAt !== undefined) {
    return [texts.key_expiring.ends(keyId ?? '', timeInWords(texts, endsAt))]
  }
  if (message !== 'recovery_code_used' || left === undefined || left === null) return []
  const words = texts.recovery_code_used.left
  return [left === 0 ? words.none : words[pluralOf(texts.locale, left)](String(left))]
}

function advice(
  { texts, context, page }: Writing,
  message: NoticeType,
  { by, during, isFormer = false }: AnyNotice,
): readonly (Part | null)[] {
  if (message === 'key_expiring') return []
  const hint = texts.linkAbove
  const back = wayBack(texts, message, isFormer)
  if (back && context.link !== undefined) {
    const { expiresAt } = context
    return [
      back.notYou,
      { kind: 'button', label: back.action, url: context.link, hint },
      expiresAt === undefined ? null : texts.linkUntil(timeInWords(texts, expiresAt)),
    ]
  }
  if (by === 'administrator' || by === 'operator') return [texts.askAdministrator]
  if (message === 'locked' && during) return [texts.locked.notYouAtReset]
  const notYou = message === 'locked' ? texts.locked.notYou : texts.notYou
  return [notYou, { kind: 'button', label: texts.resetAction, url: page('/reset'), hint }]
}

/** The text of the undo link; null for a notice without one. */
function wayBack(texts: Writing['texts'], message: NoticeType, isFormer: boolean) {
  if (message === 'email_changed') return texts.email_changed
  if (message !== 'deletion_requested') return null
  return isFormer ? texts.deletion_requested.former : texts.deletion_requested
}
