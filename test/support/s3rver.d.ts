declare module 's3rver' {
  // It has nothing but a default export.
  // biome-ignore lint/style/noDefaultExport: see above
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string }[];
    });
    run(): Promise<{ address: string; port: number }>;
    close(): Promise<void>;
  }
}
