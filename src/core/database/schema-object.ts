/** By kind and name, such as `index users_by_email`. */
export type SchemaObjects = ReadonlyMap<string, SchemaObject>

export interface SchemaObject {
  /** Without parts that differ between installations. */
  readonly definition: string
  /** Empty for a function. */
  readonly table: string
}
