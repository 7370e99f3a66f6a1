import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const report = process.env.MEDIAPROC_TEST_REPORT

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/shared-samples.ts'],
    // Records of runs go to a cache folder, which must not be that of whoever runs the tests.
    env: { MEDIAPROC_CACHE_DIR: join(tmpdir(), `mediaproc-test-cache-${process.pid}`) },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    ...(report && { reporters: ['default', 'json'], outputFile: { json: report } }),
  },
})
