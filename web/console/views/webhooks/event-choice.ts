/** Events that belong together, as the API chooses them: the texts have a row for each. */
export const groups = {
  userCreated: 'user_created',
  userChanged: 'user_updated',
  userDeleted: 'user_deleted',
  roles: 'privilege_permissions_changed',
  locked: 'authn_login_lock',
  logins: 'authn_*',
  secondFactor: 'mfa_*',
  keys: 'key_*',
  backups: 'backup_*',
  checkpoints: 'audit_checkpoint',
} as const satisfies Readonly<Record<string, string>>

export type GroupId = keyof typeof groups

const everything = '*'

/** The groups that choose one of the known events. A service without a feature lacks its events. */
export function groupsAmong(known: readonly string[]): GroupId[] {
  const isChosen = (choice: string) =>
    choice.endsWith('*')
      ? known.some((name) => name.startsWith(choice.slice(0, -1)))
      : known.includes(choice)
  const ids = Object.keys(groups) as GroupId[]
  return ids.filter((id) => id === 'checkpoints' || isChosen(groups[id]))
}

/** A choice of events as a form holds it. */
export interface EventChoice {
  readonly isAll: boolean
  /** Names, and beginnings of names before a `*`, that are ticked. */
  readonly ticked: ReadonlySet<string>
  /** What no box stands for, one on each line. */
  readonly others: string
}

/** Takes a choice of the API apart; `known` are the names that have a box beside the groups. */
export function choiceOf(events: readonly string[], known: readonly string[]): EventChoice {
  const boxes = new Set<string>([...groupsAmong(known).map((id) => groups[id]), ...known])
  const named = events.filter((name) => name !== everything)
  return {
    isAll: events.includes(everything),
    ticked: new Set(named.filter((name) => boxes.has(name))),
    others: named.filter((name) => !boxes.has(name)).join('\n'),
  }
}

/** The choice as the API takes it. */
export function eventsOf({ isAll, ticked, others }: EventChoice): string[] {
  const typed = others.split(/[\s,]+/).filter((name) => name !== '')
  return isAll ? [everything, ...checkpointsOf(ticked)] : [...ticked, ...typed]
}

// Checkpoints are chosen by their name alone, also beside all events.
function checkpointsOf(ticked: ReadonlySet<string>): string[] {
  return ticked.has(groups.checkpoints) ? [groups.checkpoints] : []
}

export function toggled(ticked: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const wanted = new Set(ticked)
  if (!wanted.delete(name)) wanted.add(name)
  return wanted
}
