import { plural } from '../../../languages/words.ts'

const lines = plural('en', { one: 'one line', other: '# lines' })
const accounts = plural('en', { one: 'one account', other: '# accounts' })

/** The import of accounts and their export. */
export const imports = {
  title: 'Import and export',
  import: 'Import accounts',
  hint: 'A CSV file whose first line names the columns, with commas, semicolons or tabs between them:',
  hintJson:
    'Or one account on each line as JSON, or an array of them. Hashes of other systems are taken as they are.',
  file: 'File',
  check: 'Check the file',
  checkAgain: 'Check it again',
  checking: 'The file is checked. Nothing is changed by that.',
  importing: 'The accounts are imported. Leave this page open.',
  sent: (share: number) => `${Math.round(share * 100)} % sent`,
  works: 'All is sent. The service works on it.',
  nothingStored: 'Nothing of the file was stored: an import stores all lines or none.',
  maybeStored:
    'Whether the import was done is not known, all of it or nothing. Check the file again: accounts that are there now are shown as such.',
  noLines: 'The file has no lines.',
  allGood: (count: number) => `The file is good: ${accounts(count)} would be made.`,
  mistakes: plural('en', { one: 'There is one mistake.', other: 'There are # mistakes.' }),
  allOrNone: 'All lines are imported or none: correct the file, then check it again.',
  importLines: (count: number) => `Import ${accounts(count)}`,
  importTitle: (count: number) => `Import ${accounts(count)}?`,
  imports: (count: number) => `Makes ${accounts(count)}.`,
  importEffects: [
    'They can sign in when all of them are there; until then they are not shown.',
    'It cannot be undone at once: each account is deleted on its own.',
  ],
  importAction: 'Import',
  isImported: (count: number) => `${accounts(count)} are imported.`,
  showImported: 'Show the imported accounts',

  line: 'Line',
  outcome: 'What happens',
  outcomes: { import: 'is made', refuse: 'is refused' },
  account: 'Account',
  why: 'Why',
  newAccount: 'It is new.',
  isThere: 'There is already',
  unreadable: 'The line cannot be read.',
  refusedLines: plural('en', {
    one: 'A line that is refused, next to what is there now',
    other: '# lines that are refused, next to what is there now',
  }),
  goodLines: plural('en', {
    one: 'A line that would be imported',
    other: '# lines that would be imported',
  }),
  firstLines: plural('en', {
    one: 'The first line that would be imported',
    other: 'The first # lines that would be imported',
  }),
  ignored: 'These columns are ignored:',
  moreMistakes: 'Further mistakes',
  inLine: (line: number) => `Line ${line}`,
  shownMistakes: (shown: number, all: number) => `The first ${shown} of ${all} are shown.`,
  fields: {
    username: 'Username',
    name: 'Name',
    email: 'Contact address',
    roles: 'Roles',
    user_id: 'User id',
    locked: 'Locked',
    active: 'Enabled',
    must_change: 'Must change the password',
    created_at: 'Created',
    password: 'Password',
  },
  hasHash: 'a hash, taken as it is',
  hasPassword: 'a password, which is hashed',
  hasNone: 'none: the owner sets a password by a reset',

  underWay: 'Under way now',
  anImport: 'Import',
  aDryRun: 'Check of a file',
  linesRead: (count: number) => `${lines(count)} read`,
  since: 'since',

  export: 'Export accounts',
  exportHint:
    'All accounts as JSON Lines, without passwords and second factors. Filtered or selected accounts are exported from the list, as CSV too.',
  exportAction: 'Export all accounts',
}
