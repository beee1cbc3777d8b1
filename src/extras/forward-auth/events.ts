import { eventType } from '../../core/events/types.ts'

/** The running service has taken up a changed FORWARD_AUTH_FILE; how many rules it has. */
export const forwardRulesChanged = eventType<{ rules: number }>('sys_forward_rules_changed')

/** A changed FORWARD_AUTH_FILE has mistakes and is not taken up; how many, and how many rules stay. */
export const forwardRulesBroken = eventType<{ mistakes: number; rules: number }>(
  'sys_forward_rules_broken',
  'critical',
)

/** A session was handed over to the host of an application behind a proxy. */
export const forwardSessionCreated = eventType<{
  user_id: number
  origin: string
}>('forward_session_created')
