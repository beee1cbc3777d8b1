export const en = {
  /** BCP 47. */
  locale: 'en-GB',

  greeting: 'Hello,',
  quoted: (name: string) => `“${name}”`,
  units: {
    minutes: { one: 'minute', other: 'minutes' },
    hours: { one: 'hour', other: 'hours' },
    days: { one: 'day', other: 'days' },
  },
  device: (browser: string, system: string) => `${browser} on ${system}`,
  unknownBrowser: 'A program',
  unknownDevice: 'An unknown device',

  linkAbove: 'If the button does not work, open this address:',
  code: 'Or type this code on the page where you began:',
  linkUntil: (end: string) => `The link works once, until ${end}.`,
  linkLife: (duration: string, end: string) =>
    `The link works once, for ${duration}: until ${end}.`,
  linkAndCodeLife: (duration: string, end: string) =>
    `Link and code work once, for ${duration}: until ${end}.`,
  asked: 'The request came from:',
  happened: 'It was done from:',
  labels: {
    device: 'Device',
    address: 'IP address',
    time: 'Time',
    newAddress: 'New address',
    provider: 'Provider',
    change: 'Change',
  },
  by: {
    administrator: 'An administrator did this.',
    operator: 'An administrator did this on the server.',
    service: '',
    owner: '',
  },
  fine: 'If it was you, all is well.',
  askAdministrator: 'If you did not expect it, ask your administrator.',
  notYou: 'If it was not you, set a new password at once: that ends every session of your account.',
  resetAction: 'Set a new password',
  accountAt: (url: string) =>
    `All that happened in the last 30 days is listed in your account: ${url}`,
  footer: (name: string, url: string) => `This is an automatic message from ${name}, ${url}`,

  verification: {
    subject: (name: string) => `Confirm your e-mail address for ${name}`,
    intro: (name: string) =>
      `Please confirm that this is the e-mail address of your account at ${name}.`,
    action: 'Confirm the address',
    notYou: 'If it was not you, do nothing: without you the address is not confirmed.',
  },
  sign_up: {
    subject: (name: string) => `Finish signing up at ${name}`,
    intro: (name: string) =>
      `You are one step away from your account at ${name}. Open the link to choose your username and password.`,
    action: 'Finish signing up',
    notYou: 'If it was not you, do nothing: without you no account is made.',
  },
  sign_up_exists: {
    subject: (name: string) => `You already have an account at ${name}`,
    intro: (name: string, account: string) =>
      `Someone wanted to use this e-mail address for an account at ${name}. You already have one: its name is ${account}. Nothing has changed.`,
    action: 'Sign in',
    forgotten: 'If you have forgotten your password, you can set a new one:',
    notYou:
      'If it was not you, do nothing: the person who asked learnt nothing about your account.',
  },
  sign_in: {
    subject: (name: string) => `Sign in to ${name}`,
    intro: (name: string, account: string) =>
      `Here is your way in to ${name}, for your account ${account}.`,
    action: 'Sign in',
    notYou:
      'If it was not you, do nothing, and give the code to no one: without it no one gets in.',
  },
  proof: {
    subject: (name: string) => `Confirm a change of your account at ${name}`,
    intro: (name: string, account: string) =>
      `Type this code on the page that asks for it, to confirm a change of your account ${account} at ${name}:`,
    life: (duration: string, end: string) => `It works once, for ${duration}: until ${end}.`,
    notYou:
      'If it was not you, give the code to no one, and end the other sessions of your account: someone uses it.',
  },
  reset: {
    subject: (name: string) => `Set a new password at ${name}`,
    intro: (name: string, account: string) =>
      `Someone, most likely you, asked for a new password for your account ${account} at ${name}.`,
    introByAdministrator: (name: string, account: string) =>
      `An administrator asks you to set a new password for your account ${account} at ${name}.`,
    introVouched: (name: string) =>
      `An administrator asks you to set a new password for your account at ${name}.`,
    action: 'Set a new password',
    notYou: 'If it was not you, do nothing: your password stays as it is.',
  },
  invitation: {
    subject: (name: string) => `You are invited to ${name}`,
    greeting: (person: string) => `Hello ${person},`,
    intro: (name: string) =>
      `You are invited to ${name}. Open the link to choose your username and password.`,
    introBy: (name: string, inviter: string) =>
      `${inviter} invites you to ${name}. Open the link to choose your username and password.`,
    action: 'Accept the invitation',
    notYou: 'If you expected no invitation, do nothing: without you no account is made.',
  },
  email_change: {
    subject: (name: string) => `Confirm your new e-mail address for ${name}`,
    intro: (name: string) =>
      `Please confirm that your account at ${name} is to use this e-mail address from now on.`,
    action: 'Use this address',
    notYou: 'If it was not you, do nothing: the account keeps its address.',
  },

  new_sign_in: {
    subject: (name: string) => `New sign-in to your account at ${name}`,
    intro: (name: string, account: string) =>
      `Your account ${account} at ${name} was signed in to on a device that it did not know yet.`,
  },
  password_changed: {
    subject: (name: string) => `Your password at ${name} was changed`,
    intro: (name: string, account: string) =>
      `The password of your account ${account} at ${name} was changed.`,
    linked: (providers: string) =>
      `A sign-in at these providers still opens the account: ${providers}. Unlink in your account what is not yours.`,
  },
  email_changed: {
    subject: (name: string) => `The e-mail address of your account at ${name} was changed`,
    intro: (name: string, account: string) =>
      `Your account ${account} at ${name} uses another e-mail address now. This is the last message to the old one.`,
    introRemoved: (name: string, account: string) =>
      `This e-mail address does not belong to your account ${account} at ${name} any more. This is the last message to it.`,
    action: 'Take the change back',
    notYou:
      'If it was not you, take the change back: your account gets this address again, every session ends, and what was added since then is removed. Then you set a new password.',
  },
  factor_added: {
    subject: (name: string) => `Your account at ${name} has a new second factor`,
    intro: (name: string, account: string) =>
      `A second factor was added to your account ${account} at ${name}: an authenticator app or a passkey. Keep the recovery codes in a safe place.`,
  },
  factor_removed: {
    subject: (name: string) => `A second factor of your account at ${name} was removed`,
    intro: (name: string, account: string) =>
      `A second factor of your account ${account} at ${name} was removed. Without any, the password alone signs in.`,
  },
  passkey_refused: {
    subject: (name: string) => `A passkey of your account at ${name} was refused`,
    intro: (name: string, account: string) =>
      `A passkey of your account ${account} at ${name} was refused, because its counter did not rise: perhaps there is a copy of the passkey. If this happens again, remove the passkey and add a new one.`,
  },
  recovery_codes_renewed: {
    subject: (name: string) => `Your recovery codes at ${name} were replaced`,
    intro: (name: string, account: string) =>
      `Your account ${account} at ${name} has new recovery codes. The old ones do not work any more.`,
  },
  recovery_code_used: {
    subject: (name: string) => `A recovery code was used at ${name}`,
    intro: (name: string, account: string) =>
      `A recovery code was used as the second factor of your account ${account} at ${name}.`,
    left: {
      none: 'It was the last one. Please make new ones in your account.',
      one: (count: string) => `${count} recovery code is left.`,
      other: (count: string) => `${count} recovery codes are left.`,
    },
  },
  identity_linked: {
    subject: (name: string) => `Another way to sign in was added to your account at ${name}`,
    intro: (name: string, account: string) =>
      `From now on, a sign-in at the provider below opens your account ${account} at ${name}.`,
  },
  identity_unlinked: {
    subject: (name: string) => `A way to sign in was removed from your account at ${name}`,
    intro: (name: string, account: string) =>
      `A sign-in at a provider does not open your account ${account} at ${name} any more.`,
  },
  locked: {
    subject: (name: string) => `Your account at ${name} is locked for a while`,
    intro: (name: string, account: string) =>
      `Too many sign-ins in a row to your account ${account} at ${name} have failed. To keep guesses out, it refuses every sign-in for a while. Where you are signed in, you stay so.`,
    introAtReset: (name: string, account: string) =>
      `Someone has opened a link or typed a code that was mailed to you to reset the password of your account ${account} at ${name}, and then typed wrong codes of the second factor. To keep guesses out, the account refuses every sign-in for a while. Where you are signed in, you stay so.`,
    until: (end: string) => `The lock ends automatically: ${end}.`,
    last: 'The last attempt came from:',
    notYou:
      'If it was not you, no one has got in, and you need do nothing. If you have forgotten your password, set a new one:',
    notYouAtReset:
      'If it was not you, no one has got in, but someone else reads your e-mail. Change the password of your mailbox, and tell your administrator.',
  },
  deletion_requested: {
    subject: (name: string) => `Your account at ${name} will be deleted`,
    intro: (name: string, account: string) =>
      `Your account ${account} at ${name} is to be deleted. No one can sign in to it any more, and all its sessions have ended.`,
    erased: (time: string) =>
      `The account and your personal data will be erased for good: ${time}.`,
    notYou:
      'If it was not you, or if you want to keep the account, take the deletion back and set a new password:',
    action: 'Keep the account',
    former: {
      notYou:
        'The account uses another e-mail address now. If that was not you, take both changes back: the account gets this address again and is not deleted.',
      action: 'Take the changes back',
    },
  },
  deletion_cancelled: {
    subject: (name: string) => `Your account at ${name} will not be deleted`,
    intro: (name: string, account: string) =>
      `The deletion of your account ${account} at ${name} was cancelled.`,
  },
  app_password_added: {
    subject: (name: string) => `Your account at ${name} has a new app password`,
    intro: (name: string, account: string) =>
      `An app password was made for your account ${account} at ${name}: a program can act for you with it.`,
  },
  device_remembered: {
    subject: (name: string) => `A device is remembered at ${name}`,
    intro: (name: string, account: string) =>
      `Your account ${account} at ${name} remembers the device below: for a while a sign-in there needs the password alone.`,
  },
  key_expiring: {
    subject: (name: string) => `A key that you made at ${name} ends soon`,
    intro: (name: string, account: string) =>
      `A key for a program, which your account ${account} at ${name} has made, is about to end.`,
    ends: (key: string, time: string) =>
      `The key ${key} ends: ${time}. Make its successor in time, and give it to the program.`,
  },
  account_event: {
    subject: (name: string) => `A change of your account at ${name}`,
    intro: (name: string, account: string) =>
      `There was a change of your account ${account} at ${name}.`,
  },
  more_changes: {
    subject: (name: string) => `More changes to your account at ${name}`,
    intro: (name: string, account: string) =>
      `The same event has happened many times within a day in your account ${account} at ${name}. For now no further e-mail reports it. The last time:`,
  },
  account_deleted: {
    subject: (name: string) => `Your account at ${name} was deleted`,
    intro: (name: string, account: string) =>
      `Your account ${account} at ${name} and your personal data were deleted. This is the last message to you.`,
    notYou: 'If it was not you, ask your administrator.',
  },

  test: {
    subject: (name: string) => `Test message from ${name}`,
    intro: (name: string) => `This is a test. Mail from ${name} arrives.`,
  },
}

/** A language that lacks a text does not compile. */
export type Texts = typeof en
