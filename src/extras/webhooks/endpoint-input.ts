import { refuseField } from '../../core/errors.ts'
import type { FieldChecks } from '../../core/http/bodies/faults.ts'
import { untranslated, type Words } from '../../core/lib/languages.ts'
import type { OutboundRules } from '../../core/outbound/target.ts'
import type { EndpointChanges, NewEndpoint } from './endpoints.ts'
import { checkpointType, isChosen } from './endpoints.ts'
import { targetRefusal } from './target-rules.ts'

const maxChosen = 100
const pattern = /^(?:[a-z0-9_]+|[a-z0-9_]*\*)$/

/**
 * Each name or prefix must match a known event. Removes duplicates. @throws ApiError
 * validationFailed
 */
export function parseChoice(chosen: readonly string[], known: readonly string[]): string[] {
  const names = [...new Set(chosen)]
  if (names.length === 0)
    return refuseField(['events'], {
      en: 'must choose at least one event',
      de: 'muss mindestens ein Ereignis wählen',
    })
  if (names.length > maxChosen) {
    return refuseField(['events'], {
      en: `must hold at most ${maxChosen} names`,
      de: `darf höchstens ${maxChosen} Namen enthalten`,
    })
  }
  for (const [index, name] of names.entries()) {
    const isKnown =
      pattern.test(name) && [...known, checkpointType].some((type) => isChosen([name], type))
    if (!isKnown)
      return refuseField(['events', String(index)], {
        en: 'chooses no event that there is',
        de: 'wählt kein Ereignis, das es gibt',
      })
  }
  return names
}

/** Before validation: see `EndpointChanges`. */
export interface EndpointInput {
  readonly url?: string | undefined
  readonly description?: string | undefined
  readonly events?: readonly string[] | undefined
  readonly content?: 'ids' | 'full' | undefined
  readonly state?: 'enabled' | 'disabled' | undefined
}

export interface EndpointRules {
  readonly knownEvents: readonly string[]
  readonly outbound: OutboundRules
}

const maxUrlLength = 2048

/** In addition to the schemas. */
export function endpointChecks(rules: EndpointRules): FieldChecks {
  return {
    url: ({ url }) => url !== undefined && parseTarget(String(url), rules),
    events: ({ events }) =>
      events !== undefined && parseChoice(events as readonly string[], rules.knownEvents), // by its schema
  }
}

/** @throws ApiError validationFailed */
export function parseChanges(sent: EndpointInput, rules: EndpointRules): EndpointChanges {
  return {
    ...(sent.url !== undefined && { url: parseTarget(sent.url, rules) }),
    ...(sent.events !== undefined && { events: parseChoice(sent.events, rules.knownEvents) }),
    ...(sent.description !== undefined && { description: sent.description }),
    ...(sent.content !== undefined && { content: sent.content }),
    ...(sent.state !== undefined && { state: sent.state }),
  }
}

/** @throws ApiError validationFailed */
export function parseNewEndpoint(
  sent: EndpointInput & Required<Pick<EndpointInput, 'url' | 'events'>>,
  rules: EndpointRules,
): NewEndpoint {
  const { url = '', events = [], description = '', content = 'ids' } = parseChanges(sent, rules)
  return { url, events, description, content }
}

/**
 * Returns the normalized URL. DNS results are checked at each connection, because they can change.
 * @throws ApiError validationFailed
 */
export function parseTarget(text: string, { outbound }: Pick<EndpointRules, 'outbound'>): string {
  const refuse = (message: Words) => refuseField(['url'], message)
  if (text.length > maxUrlLength)
    return refuse({
      en: `must have at most ${maxUrlLength} characters`,
      de: `darf höchstens ${maxUrlLength} Zeichen haben`,
    })
  // Rejects what the URL parser would drop or rewrite.
  if (!/^https?:\/\//i.test(text) || /[^\x21-\x7e]|\\/.test(text) || !URL.canParse(text)) {
    return refuse({ en: 'must be an https address', de: 'muss eine https-Adresse sein' })
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text)) {
    return refuse({
      en: 'must not hold a username or a password',
      de: 'darf weder Benutzernamen noch Passwort enthalten',
    })
  }
  if (text.includes('#'))
    return refuse({ en: 'must not hold a fragment', de: 'darf kein Fragment enthalten' })
  if (url.port === '0')
    return refuse({ en: 'must not have the port 0', de: 'darf nicht den Port 0 haben' })
  const refusal = targetRefusal(url.href, outbound)
  return refusal === null ? url.href : refuse(untranslated(refusal))
}
