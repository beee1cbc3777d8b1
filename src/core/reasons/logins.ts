import { type Reason, reasonBy } from './guards.ts'

const password = reasonBy('password')
// The requirements of an account: docs/access.txt.
const account = reasonBy('account')
const loginLimit = reasonBy('login limit')
const secondFactor = reasonBy('second factor')
const recentLogin = reasonBy('recent login')

const counted = ['used', 'attempts', 'window_seconds', 'frees_at'] as const

/** Why a login was refused: password, requirements of the account, limits, second factor. */
export const loginReasons = {
  username_absent: password(
    'No username was sent: the field `username` is absent, empty or no text.',
  ),
  credentials_incomplete: password('The request lacks a username or a password.'),
  username_invalid: password('The text that was sent as username can be the name of no account.'),
  no_such_account: password('No account has the username that was sent.'),
  wrong_password: password('The account exists, and the password is wrong.', 'user_id'),
  account_without_password: password(
    'The account exists and has no password: it logs in through an identity provider.',
    'user_id',
  ),
  password_change_absent: password(
    'The password was right; the account must set a new one, and new_password was not sent.',
    'user_id',
  ),

  account_locked: account('An administrator has locked the account.', 'user_id', 'asked_of'),
  account_disabled: account('The account is disabled (active is false).', 'user_id', 'asked_of'),
  account_waits_for_deletion: account(
    'The owner has asked for the deletion of the account, which a link by mail can take back.',
    'user_id',
    'asked_of',
  ),
  account_locked_out: account(
    'The account is locked out after LOGIN_LOCK_AFTER failed logins in a row.',
    'user_id',
    'asked_of',
    'until',
  ),
  account_changed: account(
    'The account ended its logins since: a new password, a lock, a factor, or a sign-out everywhere.',
    'user_id',
    'asked_of',
  ),
  account_password_changed: account(
    'The password of the account was changed while the request was under way.',
    'user_id',
    'asked_of',
  ),
  account_needs_factor: account(
    'The account has a second factor, which this way to authenticate cannot prove.',
    'user_id',
    'asked_of',
  ),
  account_must_change_password: account(
    'The account must change its password first.',
    'user_id',
    'asked_of',
  ),
  account_must_enrol: account(
    'A role of the account requires a second factor (REQUIRE_SECOND_FACTOR), and it has none.',
    'user_id',
    'asked_of',
  ),
  account_gone: account('The account was deleted while the request was under way.', 'user_id'),
  requirement_added: account(
    'The account got a further requirement while the login was under way.',
    'user_id',
    'requirement',
  ),
  enrolment_due: account(
    'The login was right; a role of the account requires a second factor, which must be enrolled first.',
    'user_id',
  ),

  limit_username_address: loginLimit(
    'Too many failed logins of this username from this address (LOGIN_ATTEMPTS).',
    ...counted,
  ),
  limit_account_address: loginLimit(
    'Too many failed logins of this account from this address, by its username and its mail address together (LOGIN_ATTEMPTS). The password was not verified.',
    ...counted,
    'user_id',
  ),
  limit_address: loginLimit(
    'Too many failed logins from this address (LOGIN_ADDRESS_ATTEMPTS).',
    ...counted,
  ),
  limit_second_factor: loginLimit(
    'Too many wrong codes of the second factor of this account.',
    ...counted,
    'user_id',
  ),
  limit_client: loginLimit('Too many wrong secrets of this client from this address.', ...counted),
  limit_client_address: loginLimit(
    'Too many wrong secrets of clients from this address.',
    ...counted,
  ),
  captcha_absent: loginLimit(
    'After LOGIN_CAPTCHA_AFTER failures the login needs a solved captcha, and none was sent.',
    ...counted,
  ),
  captcha_wrong: loginLimit('The captcha is wrong, has expired, or was used before.', ...counted),

  second_factor_absent: secondFactor(
    'The account has a second factor, and no code was sent.',
    'user_id',
  ),
  second_factor_wrong: secondFactor(
    'The code of the authenticator is wrong, is not of this time, or was used before.',
    'user_id',
  ),
  recovery_code_wrong: secondFactor('The recovery code is wrong, or was used before.', 'user_id'),
  enrolment_code_wrong: secondFactor(
    'The code does not confirm the enrolment: it is wrong, or no enrolment is under way.',
    'user_id',
  ),
  second_factor_removed: secondFactor(
    'The second factor was removed after it was proved.',
    'user_id',
  ),

  login_too_old: recentLogin(
    'The login of the caller is older than REAUTHENTICATE_SECONDS, and this change asks for a recent one.',
    'user_id',
    'login_at',
    'max_age_seconds',
  ),
  proof_absent: recentLogin(
    'The change can take over or destroy the account, and the request lacks proofs of its owner.',
    'user_id',
    'change',
    'missing',
  ),
} as const satisfies Record<string, Reason>
