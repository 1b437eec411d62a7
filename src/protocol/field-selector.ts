/** A parsed field selector (apimachinery `fields.Selector`): `=`, `==`, `!=` joined by commas. */
export interface FieldSelector {
  readonly empty: boolean;
  matches(fields: Record<string, string>): boolean;
  /** The one value that `field` must have, or undefined (upstream `RequiresExactMatch`). */
  requiresExactMatch(field: string): string | undefined;
}
