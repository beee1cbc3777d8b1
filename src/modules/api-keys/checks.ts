import type { Check } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks } from '../../core/checks/context.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'
import { gatehouse } from '../../core/hints/command-line.ts'

const maxNamed = 20

const serviceKeys: Check<InsideContext> = {
  id: 'service_keys',
  level: 'warning',
  passMessage: 'each service account has a key that is valid',
  why: {
    en: 'The program of such an account is refused. A restore ends all keys, app passwords and logins, because the backup may be older than the end of a key.',
    de: 'Das Programm eines solchen Kontos wird abgelehnt. Eine Wiederherstellung beendet alle Schlüssel, App-Passwörter und Anmeldungen, weil die Sicherung älter sein kann als das Ende eines Schlüssels.',
  },
  mend: {
    do: {
      en: 'Make a key and give it to the program, or delete the account if no program uses it.',
      de: 'Legen Sie einen Schlüssel an und geben Sie ihn dem Programm, oder löschen Sie das Konto, wenn kein Programm es benutzt.',
    },
    setting: `${gatehouse} api-key create NAME --name TEXT --scope SCOPE`,
  },
  async find({ clock, db }) {
    const rows = await db
      .selectFrom('accounts')
      .select('username')
      .where('service', '=', 1)
      .where('active', '=', 1)
      .where('locked', '=', 0)
      .where(isPresentAccount)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('api_keys')
              .select('id')
              .whereRef('api_keys.user_id', '=', 'accounts.user_id')
              .where('expires_at', '>', clock.now()),
          ),
        ),
      )
      .orderBy('username')
      .limit(maxNamed)
      .execute()
    return rows.map(({ username }) => ({
      what: {
        en: `The service account ${username} has no valid key: none was made, all have ended, or a restore has ended them.`,
        de: `Das Dienstkonto ${username} hat keinen gültigen Schlüssel: Keiner wurde angelegt, alle sind abgelaufen, oder eine Wiederherstellung hat sie beendet.`,
      },
    }))
  },
}

const appPasswords: Check<InsideContext> = {
  id: 'app_passwords_ended',
  level: 'info',
  passMessage: 'no account has lost app passwords by a restore',
  why: {
    en: 'The mail program or calendar of these people is refused, and asks for a password again and again.',
    de: 'Das Mailprogramm oder der Kalender dieser Personen wird abgelehnt und fragt immer wieder nach einem Passwort.',
  },
  mend: {
    do: {
      en: 'Tell them to make new app passwords at /account/app-passwords. They are named for 30 days.',
      de: 'Bitten Sie die Personen, unter /account/app-passwords neue App-Passwörter anzulegen. Sie werden 30 Tage lang genannt.',
    },
  },
  async find({ db }) {
    const lacking = db
      .selectFrom('app_passwords_ended')
      .innerJoin('accounts', 'accounts.user_id', 'app_passwords_ended.user_id')
      .where(isPresentAccount)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('api_keys')
              .select('id')
              .whereRef('api_keys.user_id', '=', 'app_passwords_ended.user_id')
              .where('kind', '=', 'app_password'),
          ),
        ),
      )
    const { count } = await lacking
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    const all = Number(count)
    if (all === 0) return []
    const rows = await lacking.select('username').orderBy('username').limit(maxNamed).execute()
    const names = rows.map(({ username }) => username).join(', ')
    const more = all > rows.length ? `, and ${all - rows.length} more` : ''
    return [
      {
        what: {
          en: `A restore has ended the app passwords of ${names}${more}.`,
          de: `Eine Wiederherstellung hat die App-Passwörter von ${names} beendet${all > rows.length ? `, und von ${all - rows.length} weiteren` : ''}.`,
        },
      },
    ]
  },
}

export const checks: ModuleChecks = { inside: [serviceKeys, appPasswords] }
