import { plural } from '../../words.ts'
import { common } from '../common.ts'

/** What each error of the API means to the reader; others are shown as they are. */
const errors: Readonly<Record<string, string>> = {
  'Access denied': 'Your roles do not allow this.',
  'Last administrator': 'This is the last active administrator: make another one first.',
  'Precondition failed': 'It was changed meanwhile by another person.',
  'Invalid credentials': 'The password is wrong.',
  'Mail already closed': 'This mail was sent, withdrawn or wiped meanwhile.',
  'Mail is not configured': 'The service has no mail server: set SMTP_URL.',
  'Too many login attempts': 'There were too many attempts. Wait, then try again.',
}

/** The texts of the frame of the console and of its components. */
export const frame = {
  common,
  navigation: 'Areas',
  /** The names of the areas. */
  areas: {
    overview: 'Overview',
    why: 'Why was this refused?',
    accounts: 'Accounts',
    users: 'Users',
    invitations: 'Invitations',
    imports: 'Import and export',
    throttle: 'Throttle',
    audit: 'Audit',
    posts: 'Posts',
    mail: 'Mail',
    keys: 'Keys',
    webhooks: 'Webhooks',
    clients: 'Clients',
    settings: 'Settings',
    backups: 'Backups',
    doctor: 'Doctor',
  },
  loading: 'Loading …',
  undo: 'Undo',
  close: 'Close',
  notFound: 'Nothing is here',
  notFoundHint: 'The address leads to no view, or your roles do not show it.',
  typeToConfirm: (text: string) => `Type “${text}” to confirm`,
  table: {
    selectAll: 'Select all on this page',
    select: (name: string) => `Select ${name}`,
    selected: plural('en', { one: '# selected', other: '# selected' }),
  },
  pager: {
    pages: 'Pages',
    previous: 'Previous page',
    next: 'Next page',
    place: (page: number, last: number) => `Page ${page} of ${last}`,
    rows: plural('en', { one: '# row', other: '# rows' }),
  },
  login: {
    titles: { ended: 'Your session has ended', recent: 'Confirm that it is you' },
    reasons: {
      ended: 'Sign in again to go on. Nothing that you typed is lost.',
      recent: 'This action wants a recent login.',
    },
    code: 'Code of your app',
    wrongCode: 'The code is wrong, or was used before.',
    submit: 'Sign in',
    elsewhere: 'Sign in on the page of the service, in another tab',
  },
  problems: {
    declined: 'You are not signed in.',
    notLoaded: 'A part of the console could not be loaded. Is the service there?',
    unreachable: 'The service does not answer. It is tried again when you ask for it.',
    failed: 'The service failed. Its log tells why.',
    tooMany: (seconds: number | null) =>
      seconds === null
        ? 'There were too many requests.'
        : `There were too many requests. ${common.tryAgainIn(seconds)}`,
    unavailable: (seconds: number | null) =>
      seconds === null
        ? 'The service is not available now. /health/ready tells why.'
        : `The service is not available now. ${common.tryAgainIn(seconds)}`,
    errors,
  },
}
