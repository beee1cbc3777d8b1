/** What each error of the API means to the reader; others are shown as they are. */
export const errors: Readonly<Record<string, string>> = {
  'Access denied': 'Your roles do not allow this.',
  'Last administrator': 'This is the last active administrator: make another one first.',
  'Precondition failed': 'It was changed meanwhile by another person.',
  'Invalid credentials': 'The password is wrong.',
  'Too many login attempts': 'There were too many attempts. Wait, then try again.',
  'Captcha required':
    'There were several wrong passwords. Sign in at the other tab, where a small task is solved first.',
  'Password change required': 'Your password must be changed first: sign in at the other tab.',
  'Second factor enrolment required':
    'Your roles need a second factor: set it up at the other tab.',
  'Recent login required': 'This wants a recent login. Sign in again, then repeat it.',
  'Confirmation required': 'Confirm that it is you, with your password or a code.',
  'Authentication required': 'You are not signed in.',
  'Validation failed': 'Something is not as it must be',
  'Name and email required': 'Name and e-mail address are needed.',
  'Username already exists': 'Another account has this username.',
  'User already has an account': 'This user has an account already.',
  'Email already in use': 'Another account has verified this address.',
  'No verified email': 'The account has no verified mail address.',
  'Account locked or disabled': 'The account is locked or disabled.',
  'Account not found': 'There is no such account: it was removed, or never was.',
  'User not found': 'There is no such user: it was removed, or never was.',
  'Post not found': 'There is no such post: it was removed, or never was.',
  'Invitation not found': 'There is no such invitation.',
  'Invitation already closed': 'The invitation was used, withdrawn or has expired.',
  'Mail not found': 'There is no such mail: it is removed some time after it was sent.',
  'Mail already closed': 'The mail was sent, is being sent, or has ended.',
  'Mail is not configured': 'No mail is sent: SMTP_URL and MAIL_FROM are not set.',
  'Identity not found': 'There is no such identity.',
  'Session not found': 'There is no such session: it has ended.',
  'Refusal not found':
    'No refusal of this id is kept: it is older than 24 hours, or the id is another.',
  'Webhook not found': 'There is no such webhook: it was removed, or never was.',
  'Webhook delivery not found':
    'There is no such delivery: deliveries are removed 30 days after their end.',
  'Webhook is disabled': 'The webhook is disabled: enable it first.',
  'Key not found': 'There is no such key.',
  'Key still signs':
    'This key still signs, or its successor does not sign at every node yet. Rotate it at once if it leaked, then wait some seconds.',
  'Key cannot be replaced here': 'This key is in the settings of the service: replace it there.',
  'Request body too large': 'It is too large. BODY_LIMIT_BYTES is the limit.',
  'Route not found':
    'The service does not know this: is it of another version than this page? Load the page again.',
  'HTTPS required': 'This needs HTTPS.',
}
