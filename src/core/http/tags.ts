/** Groups of operations by task, in order for newcomers. Modules and routes select or add tags. */
export const tags = {
  'Sign in': 'From a username and a password to a session or a token, and out again.',
  'Sign up': 'From a mail address, or an invitation, to an account.',
  Sessions: 'The session of a browser, its CSRF token, and the live sessions of the own account.',
  Tokens: 'Access tokens: renew one, ask whom it names, verify it, revoke it.',
  Applications:
    'Applications sign people in here; for proxies: whether a request to an application may pass.',
  'Own account': 'The account of the caller, and its password.',
  'Second factor': 'One-time codes of an authenticator app, and recovery codes.',
  'Identity providers': 'Sign-in through OpenID Connect, and the linked identities.',
  Users: 'The users resource, in version 1 and in version 2.',
  Posts: 'Posts of users, and their lock.',
  'Administration of accounts': 'Accounts of others: roles, locks, passwords, sessions.',
  Mail: 'Mail that waits, was sent or was refused, and a test of the mail server.',
  'Login limits': 'What keeps a username or an address from a login now.',
  'Audit log': 'What has happened, to whom and by whom: records that cannot be changed unnoticed.',
  Webhooks: 'Events sent to addresses of your applications, and what became of each message.',
  'Import and export': 'Many accounts at once, as CSV, JSON Lines or an array of JSON.',
  Service: 'Whether the service works, how much it holds, its metrics, and this document.',
} as const satisfies Record<string, string>

export type TagName = keyof typeof tags

/** Tag of an external module, shown before `Service`. */
export interface Tag {
  readonly name: string
  readonly description: string
}

const names = Object.keys(tags) as TagName[]
const last: TagName = 'Service'

/** Used tags in document order. */
export function inOrder(used: readonly (TagName | Tag)[]): Tag[] {
  const ours = names.filter((name) => used.includes(name))
  const others = new Map(used.flatMap((tag) => (typeof tag === 'string' ? [] : [[tag.name, tag]])))
  const all = ours.map((name) => ({ name, description: tags[name] }))
  const isLast = ({ name }: Tag) => name === last
  return [...all.filter((tag) => !isLast(tag)), ...others.values(), ...all.filter(isLast)]
}

export function nameOf(tag: TagName | Tag): string {
  return typeof tag === 'string' ? tag : tag.name
}
