import { common } from '../../../languages/en/common.ts'
import { plural } from '../../../languages/words.ts'

const findings = plural('en', {
  one: '# item needs attention',
  other: '# items need attention',
})
const broken = plural('en', { one: '# thing is broken', other: '# things are broken' })
const processes = plural('en', { one: 'one process', other: '# processes' })
const { inWords } = common

/** The overview: does it work, who is getting in, who is trying to, what changed. */
export const overview = {
  title: 'Overview',
  asOf: 'As of',
  reload: 'Refresh',
  verdict: {
    waiting: 'Looking …',
    allWell: 'All is well.',
    good: 'The service works.',
    warning: (count: number) => `It works; ${findings(count)}:`,
    bad: (count: number) => `${broken(count)}:`,
    down: 'It serves no requests.',
    silent: 'The service does not answer.',
    silentHint:
      'What stands below is the last answer. Look at the process and its log: a line “not ready” says why.',
  },
  ranges: {
    label: 'Time',
    '3h': '3 hours',
    '24h': '24 hours',
    '48h': '48 hours',
    '7d': '7 days',
    '90d': '90 days',
  },
  /** The marks of what works or not. */
  levels: { good: 'good', warning: 'warning', bad: 'broken', off: 'off', unknown: 'unknown' },
  works: {
    title: 'Does it work?',
    unknownReasons: {
      database: 'The database did not answer.',
      late: 'The answer did not come in time.',
      fault: 'It could not be read; the log of the service says why.',
    },
    service: 'Service',
    serves: (version: string, host: string, seconds: number, count: number) =>
      `Version ${version} on ${host}, for ${inWords(seconds)}, in ${processes(count)}.`,
    notReady: {
      stopping: 'It is shutting down.',
      database: 'The database cannot be reached, or its file is gone. Bring it back.',
      replaced:
        'A file of the SQLite database was deleted or replaced. The service refuses all requests, and ends: start it again.',
      damaged:
        'The database is damaged: keep a copy of it, and restore a backup, as docs/backup.md says.',
      read_only:
        'The database takes no changes: promote the server, or mount the disk for writing.',
      schema:
        'The schema is older than this version needs. Start the service again, which migrates it.',
      first_start: 'There is no account yet.',
      keys: 'A key does not open with this MASTER_KEY. Give the process the right one.',
      feed: 'It does not hear of the changes of other nodes: look at the connections to the database.',
    } as Readonly<Record<string, string>>,
    clockSetBack:
      'The clock is behind times in the database. Set the clock right. Until then earlier tokens are refused.',
    database: 'Database',
    databases: { sqlite: 'SQLite', postgresql: 'PostgreSQL' },
    schema: (version: number) => `schema ${version}.`,
    schemaOld: (version: number, latest: number) =>
      `Schema ${version} is older than ${latest}, which this version knows. Start the service again.`,
    schemaNew: (version: number, latest: number) =>
      `Schema ${version} is newer than ${latest}: a newer version runs next to this one. Renew this node.`,
    jobs: 'Jobs',
    jobsGood: plural('en', { one: '# job runs in time.', other: 'All # jobs run in time.' }),
    jobsBad: (names: string) => `Late, or failed at last: ${names}. The log says why.`,
    jobsTable: 'Jobs of this machine',
    jobColumns: { name: 'Job', result: 'Last result', ran: 'Last run', every: 'Every' },
    jobResults: { succeeded: 'done', failed: 'failed', waiting: 'not run yet' },
    overdue: 'late',
    open: 'Open',
  },
  checklist: {
    title: 'First steps',
    done: (count: number, all: number) => `${count} of ${all} done`,
    isDone: 'done',
    isOpen: 'to do',
    unknown: 'unknown',
    hide: 'Hide the list',
    show: 'Show the first steps',
    isDismissed: 'not needed',
    dismiss: 'Not needed here',
    restore: 'Needed after all',
  },
  entering: {
    title: 'Who is getting in?',
    today: 'Today against last week',
    todayIs: (start: string) => `Today since ${start}, up to now.`,
    compared: (time: string, day: string) =>
      `Below each number: until ${time}, and until ${time} a week ago (${day}).`,
    noFullHour: 'The comparison with last week begins with the first full hour.',
    weekUnknown: 'There are no numbers of last week: counted since',
    nothingCounted: 'Nothing was counted yet.',
    untilHour: (today: string, before: string) => `until then ${today}, a week ago ${before}`,
    now: 'now',
    logins: 'Logins',
    failed: 'Failed logins',
    secondFactor: 'Logins with a second factor',
    accounts: 'New accounts',
    sessionsStarted: 'Sessions started',
    sessions: 'Sessions',
    people: 'Accounts',
    byResult: 'Logins by result',
    byMethod: 'Successful logins by method',
    newAccounts: 'New accounts by way',
  },
  trying: {
    title: 'Who is trying to?',
    blockedAccounts: 'Accounts locked out',
    blockedAddresses: 'Addresses throttled',
    blockedLogins: 'Usernames throttled at an address',
    refused: 'Refused logins',
    unusual: 'Unusual growth in the last hour',
    unusualLine: (what: string, count: number, usual: number) =>
      `${what}: ${count}, at this time usually ${usual}.`,
    noUnusual:
      'Nothing happens more often than usual at this time of the day. (What is usual is known after three days.)',
    blockedTitle: 'Refused without being looked at, now',
    nothingBlocked: 'No account and no address is throttled now.',
    all: 'All that the limits count',
    throttled: 'Throttled requests and lockouts',
    refusals: 'Refusals by what refused',
    why: 'Why was a request refused?',
  },
  changes: {
    title: 'What changed?',
    caption: 'The last administrative events',
    columns: { at: 'When', what: 'What', by: 'By', whom: 'Whom', address: 'Address' },
    empty: 'No administrative event is in the audit log.',
    all: 'The audit log',
    service: 'the service',
    kinds: {
      cli: 'command line',
      bootstrap: 'first start',
      job: 'a job',
      unknown: 'unknown',
    } as Readonly<Record<string, string>>,
  },
  plot: {
    none: 'None in this time.',
    table: 'As a table',
    from: 'From',
    notDrawn: 'The plot could not be loaded. The table has the same figures.',
    since: 'Counted since',
    lost: (count: number) =>
      `${count} counts were lost while the database was away: the plots show too little.`,
    requests: 'Requests by answer',
    others: 'others',
  },
  /** The labels of series; another one is shown as it is. */
  labels: {
    success: 'successful',
    refused: 'refused',
    incomplete: 'a further step was asked for',
    throttled: 'throttled',
    failed: 'failed',
    password: 'password',
    mail: 'mail',
    provider: 'provider',
    basic: 'Basic',
    other: 'other',
    administrator: 'by an administrator',
    import: 'import',
    sign_up: 'sign-up',
    invitation: 'invitation',
    login: 'logins throttled',
    requests: 'requests throttled',
    lockouts: 'accounts locked out',
    sessions_started: 'started',
    '2xx': '2xx good',
    '3xx': '3xx elsewhere',
    '4xx': '4xx refused',
    '5xx': '5xx failed',
    aborted: 'given up by the client',
  } as Readonly<Record<string, string>>,
  /** What has refused, by its name in docs/explain.md. */
  guards: {} as Readonly<Record<string, string>>,
  /** What has grown, by its name and labels; another one is shown as they are. */
  grown: {
    'logins password refused': 'Refused logins by password',
    'logins mail refused': 'Refused logins by mail',
    'logins provider refused': 'Refused logins by provider',
    'logins basic refused': 'Refused requests with Basic',
    'logins password failed': 'Failed logins by password',
    'accounts_created sign_up': 'New accounts by sign-up',
    'accounts_created provider': 'New accounts by provider',
    'accounts_created import': 'Imported accounts',
    'accounts_created invitation': 'New accounts by invitation',
    'accounts_created administrator': 'New accounts by administrators',
    account_lockouts: 'Accounts locked out',
    'throttled login': 'Throttled logins',
    'throttled requests': 'Throttled requests',
    'requests 5xx': 'Requests that failed (5xx)',
    'mails sent': 'Mails sent',
    'mails failed': 'Mails refused',
    'webhooks failed': 'Messages to webhooks given up',
  } as Readonly<Record<string, string>>,
}
