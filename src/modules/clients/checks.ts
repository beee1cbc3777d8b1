import type { ModuleChecks } from '../../core/checks/module-checks.ts'

export const checks: ModuleChecks = {
  operatorFiles: ({ clients }) => ({ CLIENTS_FILE: clients.file }),
}
