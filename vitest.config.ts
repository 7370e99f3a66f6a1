import { defineConfig } from 'vitest/config'

const report = process.env.MEDIAPROC_TEST_REPORT

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/shared-samples.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    ...(report && { reporters: ['default', 'json'], outputFile: { json: report } }),
  },
})
