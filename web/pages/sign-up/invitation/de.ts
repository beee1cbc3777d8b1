import type { invitation as english } from './en.ts'

export const invitation: typeof english = {
  title: 'Sie sind eingeladen',
  lead: (service) => `Sie bekommen ein Konto bei ${service} für`,
  choose: 'Wählen Sie Benutzername und Passwort.',
  youMay: 'Mit diesem Konto dürfen Sie:',
  roles: {
    USER: 'den Dienst benutzen',
    EDITOR: 'Beiträge schreiben und bearbeiten',
    ADMIN: 'Benutzer und Konten verwalten',
  },
  otherRole: (role) => `was die Rolle ${role} erlaubt`,
  notYou: 'Wenn das nicht Ihre Adresse ist, schließen Sie diese Seite: Es wurde nichts angelegt.',
  accept: 'Annehmen und Konto anlegen',
  deadLink: 'Diese Einladung gilt nicht mehr',
  deadLinkText:
    'Sie wurde angenommen oder zurückgezogen, ist abgelaufen, oder ihr Link wurde nicht vollständig kopiert. Wenn Ihr Konto angelegt ist, melden Sie sich an; sonst bitten Sie um eine neue Einladung.',
}
