import { plural } from '../../../languages/words.ts'
import type { clients as english } from './en.ts'

export const clients: typeof english = {
  title: 'Anwendungen',
  intro:
    'Dienste (Clients), die hier fragen dürfen, ob ein Token gilt, Tokens beenden oder die Metriken lesen. Sie stehen in der Datei von CLIENTS_FILE; ein Befehl ändert sie, und der Dienst übernimmt sie binnen einer Sekunde.',
  caption: 'Clients und was sie dürfen',
  id: 'Client',
  may: 'Darf',
  audiences: 'Audiences',
  audiencesHint: 'Er erfährt nur von Tokens für diese Dienste.',
  anyAudience: 'keine',
  secrets: 'Geheimnisse',
  secretCount: plural('de', { one: '# Geheimnis', other: '# Geheimnisse' }),
  inRotation: 'zwei während eines Wechsels: Beenden Sie das alte',
  permissions: {
    introspect: 'nach Tokens fragen',
    revoke: 'Tokens beenden',
    metrics: 'Metriken lesen',
  },
  change: 'Ändern',
  renew: 'Ein zweites Geheimnis neben dem ersten, einmal gezeigt:',
  retire: 'Sobald der Dienst es benutzt, beenden Sie das erste:',
  remove: 'Den Client entfernen:',
  command: 'der Befehl',
  mistakes: 'Die jetzige Datei wird nicht benutzt',
  mistakesHint:
    'Sie hat Fehler. Bis sie in Ordnung ist, bleiben die Clients so, wie sie davor gelesen wurden. Ein neuer Start schlägt fehl.',
  notConfigured: 'CLIENTS_FILE ist nicht gesetzt',
  notConfiguredHint:
    'Dienste, die Tokens selbst prüfen, brauchen keinen Client. Einer, der diesen Dienst nach Tokens fragt, braucht ihn:',
  notConfiguredThen: 'Starten Sie dann den Dienst mit CLIENTS_FILE, das diese Datei nennt.',
  empty: 'Die Datei hat keinen Client. Dies fügt einen hinzu:',
}
