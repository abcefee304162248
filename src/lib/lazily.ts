/** Makes a value when it is first asked for. The first object of Intl reads its tables, which took 20 ms of every start. */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
