import { errors } from 'made:errors-en'
import { plural } from '../../words.ts'
import { common } from '../common.ts'

/** The texts of the frame of the console and of its components. */
export const frame = {
  common,
  navigation: 'Areas',
  groups: {
    overview: 'Overview',
    people: 'People',
    records: 'Content',
    connections: 'Operations',
    operation: 'System',
  },
  menu: 'Menu',
  searchAccounts: 'Search accounts',
  ownAccount: 'Your account and language',
  reference: 'Reference of the API',
  help: {
    open: 'Help: keys',
    title: 'Keys',
    search: 'Go to the search',
    itself: 'This help',
    arrows: 'From row to row in a table',
    escape: 'Close what is open',
    areOn: 'Single keys are on',
    times: 'Times are in your zone; point at one to see UTC.',
  },
  conflict: {
    title: 'Two versions',
    text: 'Another person has changed this since you opened it. Which version shall stand?',
    field: 'Field',
    theirs: 'Theirs, as it is now',
    own: 'Yours',
    keep: 'Leave theirs',
    overwrite: 'Save yours',
  },
  oneTime: {
    title: (name: string) => `The one-time password of ${name}`,
    hint: 'Tell it to the owner on a way that you trust. It is not shown again.',
    done: 'I have passed it on',
  },
  loading: 'Loading …',
  undo: 'Undo',
  close: 'Close',
  notFound: 'Nothing is here',
  notFoundHint: 'There is no view at this address, or your roles do not show it.',
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
    passkey: 'Use a passkey',
    submit: 'Sign in',
    elsewhere: 'Sign in with all ways, in another tab',
    elsewhereHint: 'by provider, by mail, with a recovery code. Then come back here: it goes on.',
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
