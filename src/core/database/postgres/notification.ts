/** The channel of all nodes. An empty payload reports a change without naming it. */
export const channel = 'gatehouse'

/** The channel of the confirmations for a node. */
export function channelOf(nodeId: string): string {
  return `${channel} ${nodeId}`
}

/** 'on' in sessions that confirm their changes with the nodes; in others, triggers notify. */
export const notifiesSetting = 'gatehouse.notifies'

/** The code with which a trigger reports a change to the session. */
export const changedCode = 'GH001'
