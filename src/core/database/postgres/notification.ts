/** The channel of the change feed. */
export const channel = 'gatehouse'

/** Notifies the nodes that listen. */
export const notify = `notify ${channel}`

/** The setting of a session that notifies by itself; in others, the triggers do. */
export const notifiesSetting = 'gatehouse.notifies'

/** The code of the notice by which a trigger tells such a session of a change. */
export const changedCode = 'GH001'
