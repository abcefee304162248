export const after = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined));
