/** The objects of a schema: their definitions by kind and name, such as `index users_by_email`. */
export type SchemaObjects = ReadonlyMap<string, SchemaObject>

export interface SchemaObject {
  /** The definition from the catalog, without parts that differ between installations. */
  readonly definition: string
  /** The table of the object; empty for a function. */
  readonly table: string
}
