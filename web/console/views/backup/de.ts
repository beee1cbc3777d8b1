import { plural } from '../../../languages/words.ts'
import type { backups as english } from './en.ts'

export const backups: typeof english = {
  title: 'Sicherungen',
  make: 'Jetzt sichern',
  makeEffects: [
    'Eine Sicherung wird neben dem Betrieb gemacht, verschlüsselt und zur Probe gelesen, bevor sie zählt.',
    'Ist sie gut, wird die älteste entfernt, wenn es mehr als BACKUP_KEEP sind.',
  ],
  makeTitle: 'Jetzt eine Sicherung machen?',
  made: 'Die Sicherung ist unterwegs: Ihre Zeile steht oben in der Liste.',
  notEnabled: 'Der Dienst macht automatisch keine Sicherungen',
  notEnabledHint:
    'Geht die Platte kaputt, sind alle Konten verloren. Nennen Sie einen Ordner auf einer anderen Platte und eine Passphrase, und starten Sie den Dienst neu:',
  settings: 'die zwei Einstellungen',
  passphraseHint:
    'Die Datei enthält sechs Wörter, die Würfel wählen, oder was `openssl rand -base64 16` ausgibt. Bewahren Sie eine Kopie dort auf, wo die Sicherungen nicht sind: Nichts anderes öffnet eine Sicherung.',
  byHand: 'Eine einzelne Sicherung, jetzt',
  once: {
    make: 'Jetzt sichern',
    made: 'Die Sicherung wird gemacht, im Ordner backups von DATA_DIR.',
    passphrase: 'Passphrase dieser Sicherung',
    passphraseHint:
      'Sie wird nicht gespeichert: Ohne sie lässt sich die Sicherung nicht einspielen. Sechs gewürfelte Wörter genügen.',
    unencrypted: 'Unverschlüsselt',
    unencryptedHint:
      'Wer die Datei hat, kann alle Konten lesen. Sie hat keine Schlüssel: Nach dem Einspielen enden alle Tokens und zweiten Faktoren.',
  },
  newest: 'Die neueste enthält den Stand von',
  age: 'Alter',
  every: 'Wird gemacht alle',
  none: 'noch keine',
  failedNow: (count) =>
    plural('de', {
      one: 'Der letzte Versuch ist fehlgeschlagen. Es wird automatisch noch einmal versucht.',
      other:
        'Die letzten # Versuche sind fehlgeschlagen. Es wird automatisch noch einmal versucht.',
    })(count),
  lateNow: 'Die neueste Sicherung ist älter, als sie sein sollte.',
  caption: 'Sicherungen, die der Dienst automatisch gemacht hat, die neueste zuerst',
  run: 'Begonnen',
  state: 'Zustand',
  states: {
    waiting: 'wartet',
    running: 'wird gemacht',
    done: 'gut',
    failed: 'fehlgeschlagen',
    removed: 'entfernt',
  },
  took: 'Dauer',
  size: 'Größe',
  node: 'Knoten',
  file: 'Datei',
  sha256: 'die SHA-256 der Datei',
  removedHint: 'Ihre Datei wurde entfernt, nachdem neuere gut waren.',
  restoreThis: 'Einspielen',
  empty:
    'Es wurde noch keine Sicherung gemacht. Die erste beginnt wenige Augenblicke nach dem Start.',
  restore: 'Eine Sicherung einspielen',
  restoreIntro:
    'Eine Sicherung wird in eine leere Datenbank eingespielt, auf einem Rechner mit diesem Programm oder einem neueren. Versuchen Sie es von Zeit zu Zeit neben dem laufenden Dienst: Nur von einer eingespielten Sicherung weiß man, dass sie gut ist.',
  steps: {
    verify:
      'Halten Sie die Datei bereit und die Passphrase ihrer Zeit. Dies liest sie ganz und schreibt nichts:',
    restore:
      'Spielen Sie sie in einen neuen Ordner ein, oder mit DATABASE_URL in eine leere Datenbank:',
    start:
      'Halten Sie den Dienst an, und starten Sie ihn mit diesem Ordner oder dieser Datenbank, mit den Einstellungen, die beim Einspielen galten.',
  },
  stepCommand: 'der Befehl dieses Schritts',
  restoreWarning:
    'Alle Anmeldungen enden, und Passwörter, Rollen und Sperren sind die der Sicherung: Wiederholen Sie Löschungen und Sperren von seither.',
  restores: 'Eingespielte Sicherungen',
  restoresCaption: 'In diese Datenbank eingespielte Sicherungen, nach dem Audit-Log',
  restoredAt: 'Eingespielt',
  stateOf: 'Stand von',
  users: 'Personen',
  loginsKept: 'Anmeldungen behalten',
  verified: 'Passphrase geprüft',
  yes: 'ja',
  no: 'nein',
  neverRestored: 'Das Audit-Log weiß von keiner Sicherung, die eingespielt wurde.',
}
