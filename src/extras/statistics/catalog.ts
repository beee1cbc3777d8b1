/** A time series, or several that differ in the values of their labels. */
export interface SeriesKind {
  readonly name: string
  readonly labels: readonly string[]
  readonly description: string
}

/** All that is kept in buckets. A name is never changed: it is in the database and in addresses. */
export const seriesKinds = [
  {
    name: 'logins',
    labels: ['method', 'result'],
    description:
      'Logins by method (password, mail, provider, basic, other) and result: success, refused, incomplete (a further step was asked for), throttled, failed. A success by Basic is a request like any other, and is not counted',
  },
  {
    name: 'second_factor',
    labels: ['used'],
    description: 'Successful logins, with a second factor (yes) or without (no)',
  },
  {
    name: 'accounts_created',
    labels: ['way'],
    description:
      'New accounts by way: administrator, import, sign_up, invitation, provider, other. Those that the command line makes are not counted',
  },
  {
    name: 'account_lockouts',
    labels: [],
    description: 'Accounts that were locked because too many logins failed in a row',
  },
  {
    name: 'throttled',
    labels: ['limit'],
    description:
      'Requests that a rate limit refused: of logins (login), or the general one (requests)',
  },
  {
    name: 'refusals',
    labels: ['guard'],
    description: 'Refused requests by what has refused: the guards of docs/explain.md',
  },
  {
    name: 'sessions_started',
    labels: [],
    description: 'Sessions that began',
  },
  {
    name: 'tokens_issued',
    labels: ['grant'],
    description: 'Access tokens by grant: login, refresh',
  },
  {
    name: 'requests',
    labels: ['status'],
    description:
      'Requests by class of their answer: 1xx to 5xx, or aborted, if the client ended before it. Without those of /health/',
  },
  {
    name: 'mails',
    labels: ['result'],
    description: 'Mails by result: sent, deferred, failed, expired, cancelled',
  },
  {
    name: 'webhooks',
    labels: ['result'],
    description: 'Messages to webhooks by result: delivered, deferred, failed, cancelled',
  },
  {
    name: 'lost_counts',
    labels: [],
    description:
      'What could not be stored while the database was away, at the beginning of its hour: the other series lack so much',
  },
] as const satisfies readonly SeriesKind[]

export type SeriesName = (typeof seriesKinds)[number]['name']

const separator = '|'

/** The text under which a series is stored. */
export function seriesKey(values: readonly string[]): string {
  return values.join(separator)
}

/** A series by its stored text; null if this version has none of that name. */
export function readSeriesKey(
  key: string,
): { readonly name: SeriesName; readonly labels: Record<string, string> } | null {
  const [name = '', ...values] = key.split(separator)
  const kind = seriesKinds.find((known) => known.name === name)
  if (!kind) return null
  const labels = kind.labels.map((label, index): [string, string] => [label, values[index] ?? ''])
  return { name: kind.name, labels: Object.fromEntries(labels) }
}
