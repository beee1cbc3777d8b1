import { plural } from '../../languages/words.ts'
import type { passkeys as english } from './en.ts'

export const passkeys: typeof english = {
  signIn: 'Mit einem Passkey anmelden',
  use: 'Passkey benutzen',
  or: 'Oder mit einem Code',
  failed:
    'Es wurde kein Passkey benutzt. Versuchen Sie es noch einmal, oder gehen Sie einen anderen Weg.',
  refused:
    'Dieser Passkey wurde nicht angenommen. Versuchen Sie einen anderen, oder gehen Sie einen anderen Weg.',
  title: 'Passkeys',
  summary: 'Mit Fingerabdruck, Gesicht oder PIN anmelden, ohne Passwort.',
  lead: 'Ein Passkey meldet Sie mit Fingerabdruck, Gesicht oder PIN eines Geräts an, anstelle von Passwort und Code. Niemand kann ihn mit einer falschen Seite stehlen.',
  count: plural('de', { none: 'keiner', one: '# Passkey', other: '# Passkeys' }),
  none: 'Sie haben noch keinen Passkey.',
  name: 'Name',
  added: 'Hinzugefügt',
  lastUsed: 'Zuletzt benutzt',
  never: 'nie',
  kind: 'Art',
  synced: 'Auf mehreren Geräten',
  bound: 'Auf einem Gerät',
  unusable: 'Von einer anderen Adresse dieses Dienstes: nicht benutzbar',
  action: 'Aktion',
  rename: 'Umbenennen',
  renameOf: (name) => `${name} umbenennen`,
  remove: 'Entfernen',
  removeOf: (name) => `${name} entfernen`,
  add: 'Passkey hinzufügen',
  addExplanation: 'Alle anderen Sitzungen werden beendet.',
  addTitle: 'Passkey hinzufügen',
  nameHint: 'An dem Sie den Passkey unter anderen erkennen.',
  create: 'Passkey anlegen',
  unsupported:
    'Ihr Browser kann keine Passkeys anlegen, oder Skripte sind aus. Nehmen Sie einen anderen Browser.',
  impossible: 'Dieser Dienst hat eine Adresse, an der Browser keine Passkeys anlegen.',
  renameTitle: 'Passkey umbenennen',
  save: 'Speichern',
  removeTitle: 'Passkey entfernen?',
  removeExplanation: (name) =>
    `Der Passkey ${name} meldet nicht mehr an. Alle anderen Sitzungen werden beendet. Löschen Sie den Passkey auch auf Ihrem Gerät.`,
  done: {
    passkey_added: 'Der Passkey wurde hinzugefügt. Alle anderen Sitzungen wurden beendet.',
    passkey_renamed: 'Der Passkey wurde umbenannt.',
    passkey_removed: 'Der Passkey wurde entfernt. Alle anderen Sitzungen wurden beendet.',
  },
  problems: {
    passkey_refused: 'Dieser Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.',
    passkey_name: 'Geben Sie einen Namen mit höchstens 64 Buchstaben ein.',
    passkeys_full: 'Sie haben so viele Passkeys, wie Sie haben können. Entfernen Sie erst einen.',
  },
}
