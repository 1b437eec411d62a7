import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    pool: 'forks',
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/properties.ts'],
    testTimeout: 20_000,
    // sorted-btree is CommonJS with `exports.default`; vitest must hand it over as Node and esbuild do.
    deps: { interopDefault: false },
    env: { NODE_ENV: 'test', FORCE_COLOR: '0' },
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'json-summary'] },
  },
});
