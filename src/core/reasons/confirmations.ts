import { type Reason, reasonBy } from './guards.ts'

const mailedCode = reasonBy('mailed code')

/** Why a link or a code from a mail was refused. */
export const confirmationReasons = {
  confirmation_malformed: mailedCode(
    'The text that was sent can be no link and no code of a mail.',
  ),
  confirmation_unknown: mailedCode(
    'No link or code of this id is kept: it was never made, or expired some time ago.',
  ),
  confirmation_wrong: mailedCode(
    'The link or the code is wrong, or belongs to another browser.',
    'user_id',
    'purpose',
  ),
  confirmation_used: mailedCode(
    'The link or the code was used before, or withdrawn.',
    'user_id',
    'purpose',
  ),
  confirmation_expired: mailedCode('The link or the code has expired.', 'user_id', 'purpose'),
  confirmation_of_another_purpose: mailedCode(
    'The mail was sent for something else.',
    'user_id',
    'purpose',
  ),
  confirmation_outlived: mailedCode(
    'The account has ended its logins since the mail: a new password, address or factor, or a lock.',
    'user_id',
    'purpose',
  ),
  confirmation_tries_used: mailedCode(
    'Too many codes were typed; the link of the mail still counts.',
    'user_id',
    'purpose',
  ),
} as const satisfies Record<string, Reason>
