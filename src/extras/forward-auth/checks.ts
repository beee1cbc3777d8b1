import type { ModuleChecks } from '../../core/checks/context.ts'

export const checks: ModuleChecks = {
  operatorFiles: ({ forwardAuth }) => ({ FORWARD_AUTH_FILE: forwardAuth.file }),
}
