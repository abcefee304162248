import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';

/** A component whose code is loaded when it is first shown. Until it is there, `meanwhile` takes its place. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile?: ReactNode,
): ComponentType<Props> {
  // Its type leaves open whether it takes a ref.
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>;
  return (props) => (
    <Suspense fallback={meanwhile}>
      <Loaded {...props} />
    </Suspense>
  );
}
