import type { home as english } from './en.ts'

export const home: typeof english = {
  title: 'Anmeldung und Benutzer',
  lead: 'Ein Konto für Ihre Anwendungen. Melden Sie sich an, um Ihr Konto zu verwalten; eine Anwendung leitet Sie automatisch hierher, wenn sie Sie braucht.',
  signIn: 'Anmelden',
  signInWith: (provider) => `Mit ${provider} anmelden`,
  sharedComputer: 'Melden Sie sich an einem gemeinsam genutzten Computer ab, wenn Sie fertig sind:',
  logOutOf: (provider) => `bei ${provider} abmelden`,
  forDevelopers: 'Für Entwickler',
  reference: 'Referenz der API',
  openapi: 'OpenAPI-Dokument',
  openapiFor: ', um Clients zu erzeugen',
  keys: 'Öffentliche Schlüssel',
  keysFor: ', für Dienste, die seine Tokens prüfen',
  health: 'Zustand',
  healthFor: ': ob er gerade Anfragen bedient',
  apiBefore: 'Eine Anwendung meldet einen Benutzer mit',
  apiAfter:
    ' an, mit einem Formular oder JSON, und erhält eine Sitzung, ein Token oder ein Paar von Tokens. Programme, die nach',
  apiEnd: 'fragen, erhalten diese Links als JSON.',
  tooOften: 'Sie haben zu oft gefragt',
  notNow: 'Diese Seite kann gerade nicht gezeigt werden',
  waitLittle: 'Warten Sie ein wenig, und versuchen Sie es dann noch einmal.',
  inAMoment: 'Versuchen Sie es gleich noch einmal.',
}
