/** Ends an exhaustive `switch`: the compiler refuses the call when a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
