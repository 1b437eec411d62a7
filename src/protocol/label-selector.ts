/** A parsed label selector (apimachinery `labels.Selector`). */
export interface LabelSelector {
  readonly empty: boolean;
  matches(labels: Record<string, string> | undefined): boolean;
}
