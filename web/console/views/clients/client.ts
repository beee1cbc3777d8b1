import type { components } from '../../api/openapi.d.ts'

export type Client = components['schemas']['Client']
export type ClientWithSecret = components['schemas']['ClientWithSecret']
export type ClientType = NonNullable<Client['type']>

export const clientTypes = ['web', 'spa', 'native', 'device', 'machine'] as const
export const consents = ['once', 'always', 'none'] as const

/** What the form changes; lists are lines or words. */
export interface ClientDraft {
  readonly id: string
  readonly type: ClientType
  readonly name: string
  readonly operator: string
  readonly homeUri: string
  readonly redirectUris: string
  readonly logoutUris: string
  readonly backchannelUri: string
  readonly scopes: string
  readonly allow: string
  readonly consent: (typeof consents)[number]
  readonly needsTwoFactors: boolean
  readonly hasApi: boolean
  readonly sendsNoChallenge: boolean
  readonly isPairwise: boolean
}

export const emptyDraft: ClientDraft = {
  ...{ id: '', type: 'web', name: '', operator: '', homeUri: '', redirectUris: '' },
  ...{ logoutUris: '', backchannelUri: '', scopes: 'openid profile email groups', allow: '' },
  ...{ consent: 'once', needsTwoFactors: false, hasApi: false, sendsNoChallenge: false },
  isPairwise: false,
}

export function draftOf(client: Client): ClientDraft {
  return {
    ...{ id: client.id, type: client.type ?? 'web', name: client.name ?? '' },
    ...{ operator: client.operator ?? '', homeUri: client.home_uri ?? '' },
    redirectUris: (client.redirect_uris ?? []).join('\n'),
    logoutUris: (client.post_logout_redirect_uris ?? []).join('\n'),
    backchannelUri: client.backchannel_logout_uri ?? '',
    scopes: (client.scopes ?? []).join(' '),
    allow: (client.allow ?? []).join(' '),
    consent: client.consent ?? 'once',
    needsTwoFactors: client.two_factor ?? false,
    hasApi: client.resource !== undefined,
    sendsNoChallenge: client.pkce === 'optional',
    isPairwise: client.subject === 'pairwise',
  }
}

/** The fields of the entry; empty ones are left out. */
export function fieldsOf(draft: ClientDraft) {
  return given(changedBy(draft))
}

/** The whole entry: fields that the form does not show stay. */
export function entryOf(
  { id: _, source: __, secrets: ___, ...client }: Client,
  draft: ClientDraft,
) {
  return given({ ...client, ...changedBy(draft) })
}

/** Whether people can have another subject there: see `sectorOf` of the service. */
export function hasSector({ type }: Pick<ClientDraft, 'type'>): boolean {
  return type === 'web' || type === 'spa'
}

function changedBy(draft: ClientDraft) {
  const wordsIn = (text: string) => text.split(/\s+/).filter((word) => word !== '')
  const text = (value: string) => (value.trim() === '' ? undefined : value.trim())
  const words = (value: string) => (wordsIn(value).length === 0 ? undefined : wordsIn(value))
  return {
    type: draft.type,
    name: text(draft.name),
    operator: text(draft.operator),
    home_uri: text(draft.homeUri),
    redirect_uris: words(draft.redirectUris),
    post_logout_redirect_uris: words(draft.logoutUris),
    backchannel_logout_uri: text(draft.backchannelUri),
    scopes: wordsIn(draft.scopes),
    allow: words(draft.allow),
    consent: draft.consent,
    two_factor: draft.needsTwoFactors || undefined,
    resource: draft.hasApi ? location.origin : undefined,
    subject: draft.isPairwise && hasSector(draft) ? ('pairwise' as const) : undefined,
    pkce: draft.sendsNoChallenge ? ('optional' as const) : undefined,
  }
}

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

function given<Fields extends object>(fields: Fields): Given<Fields> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as Given<Fields> // only absent values are gone
}
