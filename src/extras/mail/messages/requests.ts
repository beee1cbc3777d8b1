import type { Origin } from '../../../modules/devices/origin.ts'
import type { MessageFacts, MessageName, NoticeType } from '../message-types.ts'
import { groupedCode, type Letter, type Part, plainName } from './letter.ts'
import { written } from './notices.ts'
import { durationInWords, rowsOf, timeInWords } from './words.ts'
import type { Writing } from './writing.ts'

type RequestName = Exclude<MessageName, NoticeType>
type WithLink = Exclude<
  RequestName,
  'proof' | 'sign_up_exists' | 'deletion_requested_former' | 'account_deleted' | 'test'
>

export function letterOfRequest(
  writing: Writing,
  message: MessageName,
  facts: MessageFacts[MessageName],
): Letter {
  const write = letters[message as RequestName] as (writing: Writing, facts: object) => Letter
  return write(writing, facts)
}

const letters: {
  [Name in RequestName]: (writing: Writing, facts: MessageFacts[Name]) => Letter
} = {
  verification: (writing, facts) => withLink(writing, 'verification', facts),
  sign_up: (writing, facts) => withLink(writing, 'sign_up', facts),
  sign_in: (writing, facts) => withLink(writing, 'sign_in', facts),
  email_change: (writing, facts) => withLink(writing, 'email_change', facts),
  reset: (writing, facts) =>
    withLink(writing, 'reset', {
      ...facts,
      isByAdministrator: facts.by === 'administrator' || facts.by === 'operator',
    }),

  sign_up_exists(writing, { username, origin }) {
    const { texts, name, page, letter } = writing
    const words = texts.sign_up_exists
    return letter(words.subject(name), [
      texts.greeting,
      words.intro(name, quoted(writing, username)),
      { kind: 'button', label: words.action, url: page('/signin'), hint: texts.linkAbove },
      words.forgotten,
      { kind: 'link', url: page('/reset') },
      ...askedFrom(writing, origin),
      words.notYou,
    ])
  },

  invitation(writing, { name: person, invitedBy, origin }) {
    const { texts, name, letter } = writing
    const words = texts.invitation
    return letter(words.subject(name), [
      person ? words.greeting(plainName(person)) : texts.greeting,
      invitedBy ? words.introBy(name, plainName(invitedBy)) : words.intro(name),
      ...linkParts(writing, 'invitation', { origin, isTyped: false }),
      words.notYou,
    ])
  },

  proof(writing, { username, origin }) {
    const { texts, name, letter, context } = writing
    const { code, expiresAt } = context
    if (code === undefined || expiresAt === undefined) throw new Error('the message has a code')
    const words = texts.proof
    const duration = durationInWords(texts, expiresAt - (origin?.at ?? expiresAt))
    return letter(words.subject(name), [
      texts.greeting,
      words.intro(name, quoted(writing, username)),
      { kind: 'code', code: groupedCode(code) },
      words.life(duration, timeInWords(texts, expiresAt)),
      ...askedFrom(writing, origin),
      words.notYou,
    ])
  },

  deletion_requested_former: (writing, facts) =>
    written(writing, 'deletion_requested', { ...facts, isFormer: true }),

  account_deleted(writing, { username, origin }) {
    const { texts, name, letter } = writing
    const words = texts.account_deleted
    return letter(words.subject(name), [
      texts.greeting,
      words.intro(name, quoted(writing, username)),
      ...(origin ? [texts.happened, { kind: 'facts', rows: rowsOf(texts, origin) } as const] : []),
      words.notYou,
    ])
  },

  test({ texts, name, letter }) {
    return letter(texts.test.subject(name), [texts.greeting, texts.test.intro(name)])
  },
}

interface LinkFacts {
  readonly username?: string | null
  readonly origin?: Origin
  /** Then no page of the reader waits for the code. */
  readonly isByAdministrator?: boolean
}

function withLink(
  writing: Writing,
  message: Exclude<WithLink, 'invitation'>,
  { username = '', origin, isByAdministrator = false }: LinkFacts,
): Letter {
  const { texts, name, letter } = writing
  const words = texts[message]
  const account = quoted(writing, username ?? '')
  const first =
    username === null
      ? texts.reset.introVouched(name)
      : isByAdministrator
        ? texts.reset.introByAdministrator(name, account)
        : words.intro(name, account)
  return letter(words.subject(name), [
    texts.greeting,
    first,
    ...linkParts(writing, message, { origin, isTyped: !isByAdministrator }),
    // The reader cannot recognize an administrator's address and device.
    ...(isByAdministrator ? [] : askedFrom(writing, origin)),
    isByAdministrator ? texts.askAdministrator : words.notYou,
  ])
}

function linkParts(
  { texts, context: { link, code, expiresAt } }: Writing,
  message: WithLink,
  { origin, isTyped = true }: { readonly origin: Origin | undefined; readonly isTyped?: boolean },
): readonly Part[] {
  if (link === undefined) throw new Error(`the message ${message} has no link`)
  const hint = texts.linkAbove
  const button = { kind: 'button', label: texts[message].action, url: link, hint } as const
  const codeParts =
    isTyped && code !== undefined
      ? [texts.code, { kind: 'code', code: groupedCode(code) } as const]
      : []
  return [button, ...codeParts, ...lifetime()]

  function lifetime(): readonly string[] {
    if (expiresAt === undefined) return []
    const end = timeInWords(texts, expiresAt)
    if (!origin) return [texts.linkUntil(end)]
    const words = codeParts.length === 0 ? texts.linkLife : texts.linkAndCodeLife
    return [words(durationInWords(texts, expiresAt - origin.at), end)]
  }
}

function askedFrom({ texts }: Writing, origin: Origin | undefined): readonly Part[] {
  return origin ? [texts.asked, { kind: 'facts', rows: rowsOf(texts, origin) }] : []
}

function quoted({ texts }: Writing, username: string): string {
  return texts.quoted(plainName(username))
}
