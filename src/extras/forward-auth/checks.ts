import type { ModuleChecks } from '../../core/checks/module-checks.ts'

export const checks: ModuleChecks = {
  operatorFiles: ({ forwardAuth }) => ({ FORWARD_AUTH_FILE: forwardAuth.file }),
}
