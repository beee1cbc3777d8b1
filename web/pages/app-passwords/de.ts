import type { Texts } from '../../languages/languages.ts'
import { plural } from '../../languages/words.ts'

/** Die Seite der App-Passwörter. */
export const appPasswords: Texts['appPasswords'] = {
  title: 'App-Passwörter',
  count: plural('de', { none: 'keines', one: 'eines', other: '# App-Passwörter' }),
  summary: 'Für Programme, die nach Name und Passwort fragen, etwa einen Kalender.',
  explanation:
    'Mit einem App-Passwort nutzt ein Programm die Anwendungen hinter dieser Anmeldung. Es öffnet weder dieses Konto noch etwas anderes hier.',
  none: 'Es gibt keines.',
  name: 'Name',
  nameHint: 'Wofür es ist, zum Beispiel der Kalender Ihres Telefons.',
  made: 'Erstellt',
  ends: 'Endet',
  lastUsed: 'Zuletzt benutzt',
  never: 'nie',
  action: 'Aktion',
  change: 'Sie möchten ein App-Passwort erstellen.',
  create: 'App-Passwort erstellen',
  revoke: 'Widerrufen',
  revokeOf: (name) => `${name} widerrufen`,
  newTitle: 'Ihr App-Passwort',
  shownOnce:
    'Es wird nur dieses eine Mal angezeigt und ist weg, wenn Sie diese Seite neu laden oder verlassen. Geben Sie es jetzt mit Ihrem Benutzernamen im Programm ein.',
  username: 'Benutzername',
  key: 'App-Passwort',
  keptIt: 'Ich habe es eingegeben',
  revoked: 'Das App-Passwort ist widerrufen.',
  badName: 'Geben Sie ihm einen Namen ohne Steuerzeichen.',
  full: 'Sie haben so viele App-Passwörter, wie Sie haben können. Widerrufen Sie zuerst eines.',
}
