import { plural } from '../../../languages/words.ts'

export const backups = {
  title: 'Backups',
  make: 'Back up now',
  makeEffects: [
    'A backup is made while the service runs, encrypted, and read back before it counts.',
    'Once it is good, the oldest one is removed if there are more than BACKUP_KEEP.',
  ],
  makeTitle: 'Make a backup now?',
  made: 'The backup is on its way: its row stands on top of the list.',
  notEnabled: 'The service makes no backups automatically',
  notEnabledHint:
    'If the disk fails, all accounts are lost. Name a folder on another disk and a passphrase, and start the service again:',
  settings: 'the two settings',
  passphraseHint:
    'The file holds six words that dice choose, or what `openssl rand -base64 16` prints. Keep a copy of it where the backups are not: nothing else opens a backup.',
  byHand: 'A single backup, now',
  once: {
    make: 'Back up now',
    made: 'The backup is being made, in the folder backups of DATA_DIR.',
    passphrase: 'Passphrase of this backup',
    passphraseHint:
      'It is not stored: without it the backup cannot be restored. Six words that dice choose will do.',
    unencrypted: 'Unencrypted',
    unencryptedHint:
      'A person who has the file can read all accounts. It has no keys: a restore ends all tokens and second factors.',
  },
  newest: 'The newest holds the state of',
  age: 'Age',
  every: 'Made every',
  none: 'none yet',
  failedNow: (count: number) =>
    plural('en', {
      one: 'The last attempt has failed. It is tried again automatically.',
      other: 'The last # attempts have failed. It is tried again automatically.',
    })(count),
  lateNow: 'The newest backup is older than it should be.',
  caption: 'Backups that the service made automatically, the newest first',
  run: 'Begun',
  state: 'State',
  states: {
    waiting: 'waiting',
    running: 'being made',
    done: 'good',
    failed: 'failed',
    removed: 'removed',
  },
  took: 'Took',
  size: 'Size',
  node: 'Node',
  file: 'File',
  sha256: 'the SHA-256 of the file',
  removedHint: 'Its file was removed after newer ones were good.',
  restoreThis: 'Restore',
  empty: 'No backup was made yet. The first one begins within moments after the start.',
  restore: 'Restore a backup',
  restoreIntro:
    'A restore writes into an empty database, on a machine with this program or a newer one. Try it now and then, next to the running service: only a restored backup is known to be good.',
  steps: {
    verify:
      'Have the file, and the passphrase of its time. This reads all of it and writes nothing:',
    restore: 'Restore it into a new folder, or with DATABASE_URL into an empty database:',
    start:
      'Stop the service, and start it with that folder or database, with the settings that the restore had.',
  },
  stepCommand: 'the command of this step',
  restoreWarning:
    'All logins end, and passwords, roles and locks are those of the backup: repeat the deletions and locks since then.',
  restores: 'Restores',
  restoresCaption: 'Restores of this database, by the audit log, the newest first',
  restoredAt: 'Restored',
  stateOf: 'State of',
  users: 'Users',
  loginsKept: 'Logins kept',
  verified: 'Passphrase checked',
  yes: 'yes',
  no: 'no',
  neverRestored: 'The audit log knows of no restore of this database.',
}
