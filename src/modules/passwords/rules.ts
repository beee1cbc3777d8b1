import type { Config } from '../../core/config/load.ts'
import { refuseField } from '../../core/errors.ts'
import type { Words } from '../../core/lib/languages.ts'
import { passwordRefusal } from '../../core/lib/password.ts'
import { codePointLength } from '../../core/lib/text.ts'
import {
  bareForms,
  repeatedUnit,
  undecorated,
  unleeted,
} from '../../core/password-strength/breached/bare-forms.ts'
import { isListed } from '../../core/password-strength/breached/breached-list.ts'
import { isKeyboardRun } from '../../core/password-strength/breached/keyboard-runs.ts'
import { bcryptMaxBytes } from './password.ts'
import type { BreachQuery } from './range-query.ts'

const product = 'gatehouse'
/** Shorter names occur in too many passwords. */
const minUsernameLength = 4
const minLocalPartLength = 3

const breached = {
  en: 'must not be a password known from breaches',
  de: 'darf kein Passwort sein, das aus Datenlecks bekannt ist',
}
const repeated = {
  en: 'must not be one piece repeated',
  de: 'darf nicht aus einem wiederholten Stück bestehen',
}
const keyboardRun = {
  en: 'must not be a run of neighbouring keys',
  de: 'darf keine Folge benachbarter Tasten sein',
}

export interface NewPassword {
  readonly text: string
  /** Shown in `details`. */
  readonly field: string
  readonly username: string
  /** Undefined if unknown. */
  readonly email: string | undefined
}

export interface PasswordRulesDeps {
  readonly config: Pick<Config, 'password'>
  readonly isBreached: BreachQuery
}

/**
 * 12 to 128 code points after NFC, no composition rules, no commonly tried passwords. Queries the
 * breach service last. Spec 5.6. @throws ApiError validationFailed
 */
export async function assertAcceptablePassword(
  password: NewPassword,
  { config, isBreached }: PasswordRulesDeps,
): Promise<void> {
  assertPlausiblePassword(password, config)
  if (await isBreached(password.text)) refuseField([password.field], breached)
}

/** Skips the breach service. @throws ApiError validationFailed */
export function assertPlausiblePassword(
  { text, field, username, email }: NewPassword,
  { password: { hash, minLength } }: PasswordRulesDeps['config'],
): void {
  const reason =
    passwordRefusal(text, minLength) ??
    bytesRefusal(text, hash) ??
    ownerRefusal(text, username, email) ??
    guessableRefusal(text)
  if (reason) refuseField([field], reason)
}

/** @throws ApiError validationFailed */
export function assertOtherPassword(text: string, present: string, field: string): void {
  if (text.normalize('NFC') === present.normalize('NFC')) {
    refuseField([field], {
      en: 'must differ from the present one',
      de: 'muss sich vom jetzigen unterscheiden',
    })
  }
}

function bytesRefusal(password: string, hash: Config['password']['hash']): Words | undefined {
  const bytes = Buffer.byteLength(password.normalize('NFC'))
  if (hash !== 'bcrypt' || bytes <= bcryptMaxBytes) return undefined
  return {
    en: `must have at most ${bcryptMaxBytes} bytes`,
    de: `darf höchstens ${bcryptMaxBytes} Bytes haben`,
  }
}

/** Rejects guesses derived from the account. */
function ownerRefusal(
  password: string,
  username: string,
  email: string | undefined,
): Words | undefined {
  const text = comparable(password)
  const forms = [text, ...unleeted(text)]
  const holds = (name: string, minLength = 1) =>
    codePointLength(name) >= minLength && forms.some((form) => form.includes(comparable(name)))
  if (holds(product))
    return {
      en: 'must not hold the name of this service',
      de: 'darf den Namen dieses Dienstes nicht enthalten',
    }
  if (holds(username, minUsernameLength))
    return { en: 'must not hold the username', de: 'darf den Benutzernamen nicht enthalten' }
  if (email === undefined) return undefined
  const local = email.slice(0, email.lastIndexOf('@'))
  const holdsEmail = holds(email) || holds(local, minLocalPartLength)
  return holdsEmail
    ? { en: 'must not hold the e-mail address', de: 'darf die E-Mail-Adresse nicht enthalten' }
    : undefined
}

function comparable(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

/** Rejects guesses tried on every account. */
function guessableRefusal(password: string): Words | undefined {
  const text = password.normalize('NFC').toLowerCase()
  if (repeatedUnit(text) !== undefined) return repeated
  if (isKeyboardRun(text)) return keyboardRun
  if (isListed(text)) return breached
  for (const form of bareForms(text)) {
    if (isListed(form)) {
      return {
        en: 'must not be a common word or password with digits or signs in it or around it',
        de: 'darf kein gängiges Wort oder Passwort sein, auch nicht mit Ziffern oder Zeichen ergänzt',
      }
    }
  }
  for (const rest of undecorated(text)) {
    if (repeatedUnit(rest) !== undefined) return repeated
    if (isKeyboardRun(rest)) return keyboardRun
  }
  return undefined
}
